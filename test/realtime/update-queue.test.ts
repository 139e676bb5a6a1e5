import type { Document } from '@hocuspocus/server';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { Quotas } from '../../src/api/quotas/quotas.ts';
import { loadStored, withStored } from '../../src/features/crdt/log/load-stored.ts';
import { eventTypes } from '../../src/features/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { EventLog } from '../../src/platform/events/event-log.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { Tracing } from '../../src/platform/tracing/tracing.ts';
import { OpenDocument } from '../../src/realtime/documents/open-document.ts';
import { UpdateQueue } from '../../src/realtime/documents/update-queue.ts';
import { openDatabase } from '../support/database-client.ts';
import { makePlan } from '../support/editors.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

/** The longest time that edits gather. The rest of the 250 ms is for the transaction. */
const GATHER_MS = 180;

const foundation = {
  clock: Date,
  log: pino({ level: 'silent' }),
  metrics: createMetrics(),
  tracing: new Tracing(),
};
const noQuotas = { storageBytes: 0, mailsPerDay: 0, modelTokensPerDay: 0 };
let count = 0;
const server = await startTestServer();
await makePlan(server);
const tenantId = server.quickstart.apiKey;
// The clock stands still, which a running server would not survive.
await server.app.stop();
const db = openDatabase(server.databaseUrl, { poolSize: 3 });
const events = new EventLog({ ...foundation, db, sequencerDb: db, types: eventTypes });
whenFileEnds(() => events.stop());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

/** An edit with the times of its steps. */
interface Typed {
  arrivedAt: number;
  /** When its transaction began, and when the previous one ended. */
  beganAt?: number;
  freeAt?: number;
  endedAt?: number;
  /** When the waiting caller was notified that it is stored. */
  storedAt?: number;
}

const now = () => performance.now();
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

/**
 * The queue on the real database with a test clock. A transaction takes the given time, and its
 * statements none.
 */
function watchedQueue(commitMs: () => number = () => 0) {
  let waiting: Typed[] = [];
  let freeAt = Number.NEGATIVE_INFINITY;
  let isInDatabase = false;
  let transactions = 0;
  const transaction: Database['transaction'] = async (work) => {
    transactions++;
    const taken = waiting;
    waiting = [];
    for (const typed of taken) Object.assign(typed, { beganAt: now(), freeAt });
    isInDatabase = true;
    const result = await db.transaction(work).finally(() => {
      isInDatabase = false;
    });
    const ms = commitMs();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    freeAt = now();
    for (const typed of taken) typed.endedAt = freeAt;
    return result;
  };
  const queue = new UpdateQueue({
    ...foundation,
    quotas: new Quotas({ ...foundation, db, defaults: noQuotas }),
    events,
    db: Object.assign(Object.create(db), { transaction, begin: () => db.begin() }),
    onSaved: () => undefined,
    catchUp: async () => undefined,
    onAbandoned: () => undefined,
  });
  const all: Typed[] = [];
  const type = (open: OpenDocument): Typed => {
    const typed: Typed = { arrivedAt: now() };
    const { document } = open;
    document.once('update', (update: Uint8Array) => {
      waiting.push(typed);
      all.push(typed);
      queue.addEdit(open, { update, userId: 'ada' });
      void open.edits.whenSettled().then(() => {
        typed.storedAt = now();
      });
    });
    document.getText('content').insert(0, '.');
    return typed;
  };
  /** Waits until all work that takes no time is done. */
  const settle = async () => {
    do {
      for (let tick = 0; tick < 5; tick++) await nextTick();
    } while (isInDatabase);
  };
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at++) {
      await settle();
      await vi.advanceTimersByTimeAsync(1);
    }
    await settle();
  };
  return { queue, all, type, pass, transactions: () => transactions };
}

function openDocument(): OpenDocument {
  const name = { tenantId, organizationId: 'acme', documentId: 'plan', editorId: `q-${++count}` };
  return new OpenDocument(name, new Y.Doc() as Document, { stored: undefined, deletedClients: [] });
}

async function storedEdits({ name }: OpenDocument): Promise<number> {
  const { rows } = await db.pool.query(
    `SELECT max(u.version)::int AS version FROM crdt_documents c
     JOIN crdt_updates u USING (tenant_id, log_id) WHERE c.editor_id = $1`,
    [name.editorId],
  );
  return rows[0].version;
}

const storedText = async ({ name }: OpenDocument): Promise<string> =>
  withStored(await loadStored(db, name), (doc) => doc.getText('content').toString());

const waitOf = ({ arrivedAt, beganAt = Number.NaN }: Typed) => beganAt - arrivedAt;

describe('an edit', () => {
  it('waits for one gathering period or for the previous transaction, never for both', async () => {
    const durations = [3, 20, 90, 1, 260, 40];
    const { queue, all, type, pass } = watchedQueue(() => {
      const next = durations.shift() ?? 0;
      durations.push(next);
      return next;
    });
    const opens = [openDocument(), openDocument(), openDocument(), openDocument()];
    const periods = [7, 37, 61, 113];
    for (let ms = 0; ms < 1_500; ms++) {
      for (const [at, open] of opens.entries()) if (ms % (periods[at] ?? 1) === 0) type(open);
      await pass(1);
    }
    await pass(1_000);
    for (const typed of all) {
      const { arrivedAt, freeAt = 0, storedAt, endedAt } = typed;
      expect(waitOf(typed)).toBeLessThanOrEqual(Math.max(GATHER_MS, freeAt - arrivedAt));
      expect(storedAt).toBe(endedAt);
    }
    // Gathering is what reduces the transactions, so it must have happened.
    expect(Math.max(...all.map(waitOf))).toBeGreaterThanOrEqual(GATHER_MS);
    expect(await queue.drain(1_000)).toBe(0);
    for (const [at, open] of opens.entries()) {
      expect(await storedEdits(open)).toBe(Math.ceil(1_500 / (periods[at] ?? 1)));
    }
  });

  it('gathers for a shorter time while transactions are slow, to be stored within 250 ms', async () => {
    const { all, type, pass } = watchedQueue(() => 80);
    const open = openDocument();
    for (let ms = 0; ms < 1_000; ms += 10) {
      type(open);
      await pass(10);
    }
    await pass(1_000);
    expect(all.length).toBe(100);
    for (const { arrivedAt, storedAt } of all.slice(1)) {
      expect((storedAt ?? Number.NaN) - arrivedAt).toBeLessThanOrEqual(250);
    }
  });

  it('is stored at once together with an awaited change and all gathered edits', async () => {
    const { queue, type, pass, transactions } = watchedQueue();
    const [one, other] = [openDocument(), openDocument()];
    type(one);
    await pass(1);
    const gathering = type(one);
    await pass(30);
    type(other);
    let isStored = false;
    const make = (doc: Y.Doc) => void doc.getText('content').insert(0, 'awaited');
    void queue.addChange(other, { author: 'ada', make }).then(() => {
      isStored = true;
    });
    await pass(1);
    expect(isStored).toBe(true);
    expect(waitOf(gathering)).toBe(30);
    expect(transactions()).toBe(2);
    expect(other.document.getText('content').toString()).toHaveLength(8);
  });

  it('is stored before a change that was made after it, and acknowledged no sooner than it is stored', async () => {
    const { queue, pass } = watchedQueue(() => 10);
    const open = openDocument();
    const text = open.document.getText('content');
    open.document.on('update', (update, origin) => {
      if (origin === 'client') queue.addEdit(open, { update, userId: 'ada' });
    });
    // Each paste is as much as one transaction takes.
    for (const pasted of ['one ', 'two ']) {
      open.document.transact(() => text.insert(text.length, pasted.repeat(20_000)), 'client');
    }
    const seen: string[] = [];
    void open.edits.whenSettled().then(async () => {
      seen.push(`acknowledged: ${(await storedText(open)).length}`);
    });
    const make = (doc: Y.Doc) => void doc.getText('content').insert(text.length, 'changed');
    void queue.addChange(open, { author: 'ada', make }).then(async () => {
      seen.push(`changed: ${(await storedText(open)).length}`);
    });
    while (seen.length < 2) await pass(1);
    expect(seen.toSorted()).toEqual(['acknowledged: 160007', 'changed: 160007']);
  });

  it('does not delay a change, however many and large edits follow each other', async () => {
    const { queue, pass, transactions } = watchedQueue(() => 10);
    const open = openDocument();
    const map = open.document.getMap('drawing');
    open.document.on('update', (update, origin) => {
      if (origin === 'client') queue.addEdit(open, { update, userId: 'ada' });
    });
    const make = (doc: Y.Doc) => void doc.getText('content').insert(0, 'changed');
    let isStored = false;
    for (let ms = 0; ms < 100 && !isStored; ms++) {
      // Each drawing is more than one transaction merges.
      open.document.transact(() => map.set('shapes', `${ms}`.padEnd(70_000)), 'client');
      if (ms === 30) {
        void queue.addChange(open, { author: 'ada', make }).then(() => {
          isStored = true;
        });
      }
      await pass(1);
    }
    expect(isStored).toBe(true);
    expect(transactions()).toBeLessThanOrEqual(6);
    expect(await storedText(open)).toBe('changed');
  });

  it('takes turns with changes of callers under conditions, however many follow each other', async () => {
    const { queue, type, pass } = watchedQueue();
    const [called, typedIn] = [openDocument(), openDocument()];
    const response = { lock: async () => undefined, store: () => undefined };
    const make = (doc: Y.Doc) => void doc.getText('content').insert(0, '.');
    let changes = 0;
    const call = async () => {
      for (; changes < 10; changes++)
        await queue.addChange(called, { author: 'ada', response, make });
    };
    void call();
    type(typedIn);
    let changesBefore = Number.NaN;
    void typedIn.edits.whenSettled().then(() => {
      changesBefore = changes;
    });
    while (changes < 10) await pass(1);
    await pass(GATHER_MS);
    expect(changesBefore).toBeLessThanOrEqual(1);
    expect(called.document.getText('content').toString()).toHaveLength(10);
  });
});
