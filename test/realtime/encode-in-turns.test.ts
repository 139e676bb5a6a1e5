import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { encodeInTurns } from '../../src/realtime/documents/encode-in-turns.ts';

/** A document by several clients, with deletions, and larger than one chunk. */
function longDocument(): Y.Doc {
  const doc = new Y.Doc();
  for (let author = 1; author <= 3; author++) {
    doc.clientID = author;
    const map = doc.getMap('map');
    for (let at = 0; at < 4_000; at++) map.set(`${author}-${at}`, { at });
    doc.getText('text').insert(author, `written by ${author} `);
    doc.getText('text').delete(author, 4);
    map.delete(`${author}-7`);
  }
  return doc;
}

const readingOf = (doc: Y.Doc) => [doc.getMap('map').toJSON(), doc.getText('text').toString()];

describe('a document that is encoded in chunks', () => {
  it('has the same content as one that is encoded at once, and only what is missing', async () => {
    const doc = longDocument();
    const copy = new Y.Doc();
    Y.applyUpdate(copy, await encodeInTurns(doc, Y.encodeStateVector(copy)));
    expect(readingOf(copy)).toEqual(readingOf(doc));
    expect(Y.encodeStateAsUpdate(copy)).toEqual(Y.encodeStateAsUpdate(doc));

    doc.getText('text').insert(5, 'news');
    doc.getText('text').delete(0, 2);
    const update = await encodeInTurns(doc, Y.encodeStateVector(copy));
    expect(update.length).toBeLessThan(200);
    Y.applyUpdate(copy, update);
    expect(readingOf(copy)).toEqual(readingOf(doc));
  });

  it('is consistent with edits made meanwhile', async () => {
    const doc = longDocument();
    const copy = new Y.Doc();
    const meanwhile: Uint8Array[] = [];
    const writing = encodeInTurns(doc, Y.encodeStateVector(copy));
    doc.on('update', (update: Uint8Array) => meanwhile.push(update));
    doc.getText('text').insert(doc.getText('text').length, 'and more');
    doc.getText('text').delete(0, 3);
    for (let at = 0; at < 100; at++) doc.getMap('map').delete(`3-${at}`);
    for (const update of meanwhile) Y.applyUpdate(copy, update);
    Y.applyUpdate(copy, await writing);
    expect(readingOf(copy)).toEqual(readingOf(doc));
    expect(copy.store.pendingStructs).toBeNull();
  });
});
