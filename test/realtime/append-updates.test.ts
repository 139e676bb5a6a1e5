import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Append } from '../../src/features/crdt/log/append-types.ts';
import { appendUpdates } from '../../src/features/crdt/log/append-updates.ts';
import { loadAllStored, loadStored } from '../../src/features/crdt/log/load-stored.ts';
import { OperationDatabase } from '../../src/platform/database/operation-database.ts';
import { planServer } from '../support/editors.ts';

/** The maximum size of one row of an answer (read-large.ts). */
const CHUNK = 256 * 1024;
/** The size of an update of one byte in the log, where its length stands before it. */
const SMALLEST = 4 + 1;
const { server } = await planServer({ ROLES: 'api' });
const { db } = server.app.services;

const place = { tenantId: server.quickstart.apiKey, organizationId: 'acme', documentId: 'plan' };
const nameOf = (editorId: string) => ({ ...place, editorId });

const appendOf = (editorId: string, update: Uint8Array): Append => ({
  name: nameOf(editorId),
  logId: undefined,
  updates: [update],
  count: 1,
  userId: 'ada',
  baseVersion: 0,
  content: undefined,
});

async function appendEach(editorId: string, updates: Uint8Array[]): Promise<void> {
  for (const update of updates) {
    await appendUpdates(server.app.services, [appendOf(editorId, update)]);
  }
}

/** Updates of one author, each with this many characters. */
function updatesOf(count: number, length: number): Uint8Array[] {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  for (let at = 0; at < count; at++) doc.getText('content').insert(0, 'x'.repeat(length));
  return updates;
}

async function rowsOf(editorId: string): Promise<Array<{ first: number; last: number }>> {
  const { rows } = await db.pool.query(
    `SELECT u.first_version::int AS first, u.version::int AS last
     FROM crdt_documents c /* all tenants */ JOIN crdt_updates u USING (tenant_id, log_id)
     WHERE c.editor_id = $1 ORDER BY 1`,
    [editorId],
  );
  return rows;
}

const stored = async (editorId: string) =>
  (await loadStored(db, nameOf(editorId)))?.updates.map((update) => update.toString('hex'));
const hex = (updates: Uint8Array[]) => updates.map((update) => Buffer.from(update).toString('hex'));

describe('the log of an editor', () => {
  it('has few rows for small updates, also for those appended together, and one for each large one, in order', async () => {
    const updates = [...updatesOf(60, 10), ...updatesOf(5, 2_000)];
    await appendEach('small', updates);
    const together = {
      ...appendOf('small', new Uint8Array()),
      updates: updatesOf(3, 10),
      count: 3,
    };
    await appendUpdates(server.app.services, [together]);
    expect(await stored('small')).toEqual(hex([...updates, ...together.updates]));
    const rows = await rowsOf('small');
    expect(rows.filter(({ last }) => last <= 60).length).toBeLessThan(10);
    expect(rows.filter(({ first, last }) => first > 60 && last <= 65)).toHaveLength(5);
    const ends = rows.map(({ last }) => last);
    expect(rows.map(({ first }) => first)).toEqual([1, ...ends.slice(0, -1).map((end) => end + 1)]);
    expect(ends.at(-1)).toBe(68);
  });

  it('refuses an editor that is twice in one call, so that none is skipped', async () => {
    const [first = new Uint8Array(), ...two] = updatesOf(3, 10);
    await appendUpdates(server.app.services, [appendOf('twice', first)]);
    const together = two.map((update) => appendOf('twice', update));
    await expect(appendUpdates(server.app.services, together)).rejects.toThrow();
    expect(await stored('twice')).toEqual(hex([first]));
  });

  it('publishes no content that lacks what others wrote before, and then publishes it later', async () => {
    const [first = new Uint8Array(), second = new Uint8Array()] = updatesOf(2, 10);
    const content = { json: '"lacking"', type: 'text' as const };
    const due = async () => {
      const { rows } = await db.pool.query(
        `SELECT event_at IS NOT NULL AS published, event_due_at IS NOT NULL AS due
         FROM crdt_documents /* all tenants */ WHERE editor_id = 'behind'`,
      );
      return rows;
    };
    await appendUpdates(server.app.services, [appendOf('behind', first)]);
    await appendUpdates(server.app.services, [{ ...appendOf('behind', second), content }]);
    expect(await due()).toEqual([{ published: false, due: true }]);
    const whole = { ...appendOf('behind', second), content, baseVersion: 2 };
    await appendUpdates(server.app.services, [whole]);
    expect(await due()).toEqual([{ published: true, due: false }]);
  });

  it('is not locked by updates that it refuses in an open transaction', async () => {
    const [first = new Uint8Array(), second = new Uint8Array()] = updatesOf(2, 10);
    await appendUpdates(server.app.services, [appendOf('overtaken', first)]);
    const operation = new OperationDatabase(db);
    const late = { ...appendOf('overtaken', second), conflictsWith: 'anything' as const };
    const parts = { ...server.app.services, db: operation };
    expect(await appendUpdates(parts, [late])).toEqual(['overtaken']);
    const locking = db.pool.query(
      `SELECT 1 FROM crdt_documents /* all tenants */
       WHERE editor_id = 'overtaken' FOR NO KEY UPDATE NOWAIT`,
    );
    await expect(locking).resolves.toMatchObject({ rowCount: 1 });
    await operation.commitWith(async () => undefined);
  });
});

/** Stores an editor with a snapshot and updates of these sizes and of random content. */
async function store(editorId: string, snapshotBytes: number | null, updateBytes: number[]) {
  const updates = updateBytes.map((bytes) => randomBytes(bytes));
  const snapshot = snapshotBytes === null ? null : randomBytes(snapshotBytes);
  await appendEach(editorId, updates);
  await db.pool.query(
    'UPDATE crdt_documents SET snapshot = $3 WHERE tenant_id = $1 AND editor_id = $2',
    [place.tenantId, editorId, snapshot],
  );
  return { snapshot, updates };
}

const contentOf = <Stored extends { snapshot: Buffer | null; updates: Buffer[] }>({
  snapshot,
  updates,
}: Stored) => [snapshot, ...updates].map((bytes) => bytes?.toString('base64'));

describe('the stored content of an editor', () => {
  it.each([
    ['nothing but an update', null, [1]],
    ['a chunk, less one byte', CHUNK - SMALLEST - 1, [1]],
    ['a chunk', CHUNK - SMALLEST, [1]],
    ['a chunk, and one byte', CHUNK - SMALLEST + 1, [1]],
    ['several chunks of snapshot', 3 * CHUNK + 17, [20]],
    ['several chunks of log', 20, [2 * CHUNK, 3, 4 * CHUNK + 1]],
  ])('is read unchanged: %s', async (editorId, snapshotBytes, updateBytes) => {
    const content = await store(editorId, snapshotBytes, updateBytes);
    const stored = await loadStored(db, nameOf(editorId));
    expect(stored && contentOf(stored)).toEqual(contentOf(content));
    expect(stored).toMatchObject({ editorId, version: String(updateBytes.length) });
  });

  it('is read together with that of other editors, separately for each', async () => {
    const sizes = [3 * CHUNK, 1, CHUNK + 1];
    const contents = new Map<string, unknown>();
    for (const [at, bytes] of sizes.entries()) {
      contents.set(`of-${at}`, contentOf(await store(`of-${at}`, bytes, [bytes])));
    }
    const all = await loadAllStored(db, place, [...contents.keys(), 'nobody']);
    expect(new Map(all.map((stored) => [stored.editorId, contentOf(stored)]))).toEqual(contents);
  });
});
