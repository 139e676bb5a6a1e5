import type { Document } from '@hocuspocus/server';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { nextChunk } from '../../src/platform/event-loop.ts';
import { type Edits, OpenDocument } from '../../src/realtime/documents/open-document.ts';

const MB = 1024 * 1024;
/** Waits for the tick in which the server processes its queue. */
const nextTurn = () => new Promise(setImmediate);
const name = { tenantId: 'key', organizationId: 'acme', documentId: 'plan', editorId: 'body' };

/** A document whose edits are not stored. */
function waitingDocument() {
  const doc = new Y.Doc();
  const open = new OpenDocument(name, doc as Document, { stored: undefined, deletedClients: [] });
  doc.on('update', (update: Uint8Array) => {
    open.add({ update, userId: 'ada' });
  });
  return { open, text: doc.getText('content') };
}

function take(open: OpenDocument): Edits {
  const edits = open.takeEdits();
  if (!edits) throw new Error('Nothing waits.');
  return edits;
}

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
    for (let edits = open.takeEdits(); edits; edits = open.takeEdits()) {
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
    open.putBack(first, []);
    const committed = open.whenCommitted();
    const edits = take(open);
    expect(textOf(edits.update)).toBe('one two');
    open.countSettled(edits.count);
    await expect(committed).resolves.toBeUndefined();
    expect(open.hasUnsaved).toBe(false);
  });

  it('reject their callers when they are lost', async () => {
    const { open, text } = waitingDocument();
    text.insert(0, 'one');
    const committed = open.whenCommitted();
    open.lose(new Error('gone'));
    await expect(committed).rejects.toThrow('gone');
    expect(open.hasUnsaved).toBe(false);
  });
});

it('a document counts an edit once that arrives while its size is measured', async () => {
  const { open, text } = waitingDocument();
  text.insert(0, 'x'.repeat(MB));
  open.sizeBytes = 2 * MB;
  // The time of this turn is used up, so that the document is read in the next one.
  void nextChunk();
  for (const until = performance.now() + 10; performance.now() < until; );
  const measured = open.measureSize();
  for (let step = 0; step < 5; step++) await undefined;
  text.insert(0, 'y'.repeat(MB));
  open.sizeBytes += MB;
  await measured;
  expect(open.sizeBytes / MB).toBeCloseTo(2, 3);
});
