import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { replaceXml } from '../../../src/features/crdt/content/xml/xml-content.ts';
import { splitUpdate } from '../../../src/features/crdt/worker/split-update.ts';
import { copyOf, documentWith } from './documents.ts';

const paragraphs = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `<p id="${word}${at}">${word} ${at}</p>`).join('');

function documentReading(xml: string): Y.Doc {
  return documentWith((doc) => replaceXml(doc, { key: 'k', data: xml }));
}

/** The update that the document sends when it is replaced. */
function updateOf(doc: Y.Doc, xml: string): Uint8Array {
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  replaceXml(doc, { key: 'k', data: xml });
  expect(updates).toHaveLength(1);
  return updates[0] ?? new Uint8Array();
}

describe('a large update', () => {
  it('is split into parts of bounded size with the same effect', () => {
    const doc = documentReading(paragraphs(3_000, 'old'));
    const remote = copyOf(doc);
    const parts = splitUpdate(updateOf(doc, paragraphs(4_000, 'new')));
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      const { structs, ds } = Y.decodeUpdate(part);
      expect(structs.length).toBeLessThanOrEqual(1_500);
      const deleted = [...ds.clients.values()].flat().reduce((sum, { len }) => sum + len, 0);
      expect(deleted).toBeLessThanOrEqual(6_000);
      Y.applyUpdate(remote, part);
    }
    const text = (at: Y.Doc) => at.getXmlFragment('k').toString();
    expect(text(remote)).toBe(text(doc));
    expect(Y.encodeStateVector(remote)).toEqual(Y.encodeStateVector(doc));
  });

  it('deletes in few places at a time', () => {
    const doc = documentWith((made) => made.getText('k').insert(0, 'ab'.repeat(2_000)));
    const remote = copyOf(doc);
    const before = Y.encodeStateVector(doc);
    doc.transact(() => {
      for (let at = 0; at < 2_000; at++) doc.getText('k').delete(at, 1);
    });
    const parts = splitUpdate(Y.encodeStateAsUpdate(doc, before));
    for (const part of parts) {
      const ranges = [...Y.decodeUpdate(part).ds.clients.values()].flat();
      expect(ranges.length).toBeLessThanOrEqual(25);
      Y.applyUpdate(remote, part);
    }
    expect(remote.getText('k').toString()).toBe('b'.repeat(2_000));
  });

  it('with a very long text is split inside the text, and in no surrogate pair', () => {
    const long = `a${'😀'.repeat(300_000)}`;
    const doc = documentWith((made) => made.getText('k').insert(0, long));
    const parts = splitUpdate(Y.encodeStateAsUpdate(doc));
    expect(parts.length).toBe(3);
    const remote = new Y.Doc();
    for (const part of parts) Y.applyUpdate(remote, part);
    expect(remote.getText('k').toString() === long).toBe(true);
    expect([...remote.store.clients.values()].flat()).toHaveLength(1);
  });

  it('is compatible with edits between two parts', () => {
    const doc = documentReading(paragraphs(2_000, 'old'));
    const remote = copyOf(doc);
    const parts = splitUpdate(updateOf(doc, paragraphs(2_000, 'new')));
    for (const [at, part] of parts.entries()) {
      if (at === 1) remote.getXmlFragment('k').insert(0, [new Y.XmlElement('mine')]);
      Y.applyUpdate(remote, part);
    }
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(remote));
    expect(doc.getXmlFragment('k').toString()).toBe(remote.getXmlFragment('k').toString());
    expect(doc.getXmlFragment('k').length).toBe(2_001);
  });

  it('of clients who wrote alternately is ordered by its dependencies', () => {
    const authors = [new Y.Doc(), new Y.Doc(), new Y.Doc()];
    for (let index = 0; index < 600; index++) {
      for (const author of authors) {
        const array = author.getArray('k');
        array.insert(array.length >> 1, [new Y.Map(), index, new Y.Map()]);
      }
      if (index % 100 !== 99) continue;
      const updates = authors.map((author) => Y.encodeStateAsUpdate(author));
      for (const author of authors) for (const update of updates) Y.applyUpdate(author, update);
    }
    const [doc = new Y.Doc()] = authors;
    const copy = new Y.Doc();
    const parts = splitUpdate(Y.encodeStateAsUpdate(doc));
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      Y.applyUpdate(copy, part);
      expect(copy.store.pendingStructs).toBeNull();
    }
    expect(copy.getArray('k').toJSON()).toEqual(doc.getArray('k').toJSON());
  });

  it('with cyclic references is split too, and waits as a whole', () => {
    const [one, two] = [new Y.Doc(), new Y.Doc()];
    const items = (from: Y.Doc, to: Y.Doc) =>
      Array.from({ length: 1_000 }, (_, clock) => {
        const id = Y.createID(from.clientID, clock);
        const origin = Y.createID(to.clientID, clock + 1);
        return new Y.Item(id, null, origin, null, null, null, null, new Y.ContentAny([1]));
      });
    const forged = new Y.UpdateEncoderV1();
    forged.writeLen(2);
    for (const own of [items(one, two), items(two, one)]) {
      forged.writeLen(own.length);
      forged.writeClient(own[0]?.id.client ?? 0);
      forged.writeLen(0);
      for (const item of own) item.write(forged, 0);
    }
    forged.writeLen(0);
    const parts = splitUpdate(forged.toUint8Array());
    expect(parts.flatMap((part) => Y.decodeUpdate(part).structs)).toHaveLength(2_000);
  });

  it('with many values in one item is split inside the item', () => {
    const doc = new Y.Doc();
    const values = Array.from({ length: 20_000 }, (_, at) => `value ${at}`);
    doc.getArray('k').insert(0, values);
    const parts = splitUpdate(Y.encodeStateAsUpdate(doc));
    expect(parts.length).toBeGreaterThanOrEqual(4);
    const copy = new Y.Doc();
    for (const part of parts) Y.applyUpdate(copy, part);
    expect(copy.getArray('k').toArray()).toEqual(values);
    expect(Y.encodeStateAsUpdate(copy)).toEqual(Y.encodeStateAsUpdate(doc));
  });

  it('that is small is not split', () => {
    const update = Y.encodeStateAsUpdate(documentReading(paragraphs(10, 'old')));
    expect(splitUpdate(update)).toEqual([update]);
  });
});
