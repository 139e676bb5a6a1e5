import type { Document } from '@hocuspocus/server';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Database } from '../../src/platform/database/database.ts';
import { nextLongTurn } from '../../src/platform/event-loop.ts';
import { WorkerPool } from '../../src/platform/worker-pool.ts';
import { OpenDocument } from '../../src/realtime/documents/open-document.ts';
import { countOf, type Edits } from '../../src/realtime/documents/pending-edits.ts';
import { Reconciler } from '../../src/realtime/documents/reconciler.ts';
import type { UpdateQueue } from '../../src/realtime/documents/update-queue.ts';

const MB = 1024 * 1024;
/** Waits for the tick in which the server processes its queue. */
const nextTurn = () => new Promise(setImmediate);
const name = { tenantId: 'key', organizationId: 'acme', documentId: 'plan', editorId: 'body' };

/** A document whose edits are not stored. */
function waitingDocument() {
  const doc = new Y.Doc();
  const open = new OpenDocument(name, doc as Document, { stored: undefined, deletedClients: [] });
  doc.on('update', (update: Uint8Array) => {
    open.edits.add({ update, userId: 'ada' });
  });
  return { open, text: doc.getText('content') };
}

/** Takes all waiting edits. */
const take = (open: OpenDocument): Edits[] => open.edits.take(Number.POSITIVE_INFINITY);

function textOf(update: Uint8Array): string {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, update);
  return doc.getText('content').toString();
}

describe('waiting edits', () => {
  it('take at most a few times the size of the document, whatever was written and deleted', async () => {
    const { open, text } = waitingDocument();
    for (let at = 0; at < 40; at++) {
      text.delete(0, text.length);
      text.insert(0, String(at % 10).repeat(MB / 4));
      await nextTurn();
    }
    const copy = new Y.Doc();
    let [count, bytes] = [0, 0];
    for (const edits of take(open)) {
      count += edits.count;
      bytes += edits.update.length;
      Y.applyUpdate(copy, edits.update);
    }
    expect(count).toBe(79);
    expect(bytes).toBeLessThan(3 * MB);
    expect(String(copy.getText('content'))).toBe(String(text));
  });

  it('precede later edits when they could not be committed', async () => {
    const { open, text } = waitingDocument();
    text.insert(0, 'one');
    const first = take(open);
    text.insert(3, ' two');
    open.edits.putBack(first);
    const committed = open.edits.whenSettled();
    const edits = take(open);
    expect(edits.map(({ update }) => textOf(update))).toEqual(['one two']);
    open.edits.settle(countOf(edits));
    await expect(committed).resolves.toBeUndefined();
    expect(open.unsavedCount).toBe(0);
  });

  it('let nobody wait who asked for them when they are lost', async () => {
    const { open, text } = waitingDocument();
    text.insert(0, 'one');
    const committed = open.edits.whenSettled();
    open.abandon(new Error('gone'));
    await expect(committed).resolves.toBeUndefined();
    expect(open.unsavedCount).toBe(0);
  });
});

it('a document counts an edit once that arrives while its size is measured', async () => {
  const { open, text } = waitingDocument();
  text.insert(0, 'x'.repeat(MB));
  open.size.bytes = 2 * MB;
  // The time of this turn is used up, so that the document is read in the next one.
  void nextLongTurn();
  for (const until = performance.now() + 10; performance.now() < until; );
  const measured = open.size.measure();
  for (let step = 0; step < 5; step++) await undefined;
  text.insert(0, 'y'.repeat(MB));
  open.size.bytes += MB;
  await measured;
  expect(open.size.bytes / MB).toBeCloseTo(2, 3);
});

it('a reconciler stores also the edits that arrive during a running comparison before it answers a caller', async () => {
  const document = new Y.Doc() as Document;
  const open = new OpenDocument(name, document, { stored: undefined, deletedClients: [] });
  const receive = (text: string) => {
    document.getText('content').insert(0, text);
    open.mayDiffer = true;
  };
  const stored = new Y.Doc();
  const reconciliations: Array<Promise<void> | undefined> = [];
  const queue: Pick<UpdateQueue, 'addEdit'> = {
    addEdit: (_open, { update }) => {
      Y.applyUpdate(stored, update);
      if (reconciliations.length > 0) return;
      receive('late ');
      reconciliations.push(reconciler.reconcile(open));
    },
  };
  const reconciler = new Reconciler({
    db: { query: async () => [] } as unknown as Database,
    log: pino({ level: 'silent' }),
    queue: queue as UpdateQueue,
    workerPool: new WorkerPool(),
    onSaved: () => undefined,
  });
  receive('edit');
  await reconciler.reconcile(open);
  await Promise.all(reconciliations);
  expect(String(stored.getText('content'))).toBe('late edit');
});
