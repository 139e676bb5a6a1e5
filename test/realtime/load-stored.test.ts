import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Append } from '../../src/features/crdt/log/append.ts';
import { appendUpdates } from '../../src/features/crdt/log/append-updates.ts';
import { loadAllStored, loadStored } from '../../src/features/crdt/log/load-stored.ts';
import { makePlan } from '../support/editors.ts';
import { startTestServer } from '../support/server.ts';

/** The maximum size of one row of an answer (read-large.ts). */
const CHUNK = 256 * 1024;
const server = await startTestServer({ ROLES: 'api' });
await makePlan(server);

const db = () => server.app.services.db;
const place = () => ({
  tenantId: server.quickstart.apiKey,
  organizationId: 'acme',
  documentId: 'plan',
});

/** Stores an editor with a snapshot and updates of these sizes and of random content. */
async function store(editorId: string, snapshotBytes: number | null, updateBytes: number[]) {
  const name = { ...place(), editorId };
  const updates = updateBytes.map((bytes) => randomBytes(bytes));
  const snapshot = snapshotBytes === null ? null : randomBytes(snapshotBytes);
  const appendOf = (update: Buffer): Append => ({
    name,
    logId: undefined,
    update,
    count: 1,
    userId: 'ada',
    content: undefined,
  });
  for (const update of updates) await appendUpdates(server.app.services, [appendOf(update)]);
  await db().pool.query(
    'UPDATE crdt_documents SET snapshot = $3 WHERE tenant_id = $1 AND editor_id = $2',
    [place().tenantId, editorId, snapshot],
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
    ['a chunk, less one byte', CHUNK - 6, [1]],
    ['a chunk', CHUNK - 5, [1]],
    ['a chunk, and one byte', CHUNK - 4, [1]],
    ['several chunks of snapshot', 3 * CHUNK + 17, [20]],
    ['several chunks of log', 20, [2 * CHUNK, 3, 4 * CHUNK + 1]],
  ])('is read unchanged: %s', async (editorId, snapshotBytes, updateBytes) => {
    const content = await store(editorId, snapshotBytes, updateBytes);
    const stored = await loadStored(db(), { ...place(), editorId });
    expect(stored && contentOf(stored)).toEqual(contentOf(content));
    expect(stored).toMatchObject({ editorId, version: String(updateBytes.length) });
  });

  it('is read together with that of other editors, separately for each', async () => {
    const sizes = [3 * CHUNK, 1, CHUNK + 1];
    const contents = new Map<string, unknown>();
    for (const [at, bytes] of sizes.entries()) {
      contents.set(`of-${at}`, contentOf(await store(`of-${at}`, bytes, [bytes])));
    }
    const all = await loadAllStored(db(), place(), [...contents.keys(), 'nobody']);
    expect(new Map(all.map((stored) => [stored.editorId, contentOf(stored)]))).toEqual(contents);
  });
});
