import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { replaceXml } from '../../../src/features/crdt/content/xml/xml-content.ts';
import { splitUpdate } from '../../../src/features/crdt/worker/split-update.ts';
import { copyOf, documentWith, synchronise } from './documents.ts';

const paragraphs = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `<p id="${word}${at}">${word} ${at}</p>`).join('');
const documentReading = (xml: string) =>
  documentWith((doc) => replaceXml(doc, { key: 'k', data: xml }));

/** The updates that the document sends during a change. */
function sentBy(doc: Y.Doc, change: () => void): Uint8Array[] {
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  change();
  return updates;
}

const replaced = () => {
  const doc = documentReading(paragraphs(1_000, 'old'));
  const change = () => replaceXml(doc, { key: 'k', data: paragraphs(1_500, 'new') });
  return { doc, change };
};

/** A change of a document in one transaction. */
const changed = (change: (doc: Y.Doc) => void, fill?: (doc: Y.Doc) => void) => () => {
  const doc = documentWith((made) => fill?.(made));
  return { doc, change: () => doc.transact(() => change(doc)) };
};

const thinned = changed(
  (doc) => {
    for (let at = 0; at < 2_000; at++) doc.getText('k').delete(at, 1);
  },
  (doc) => doc.getText('k').insert(0, 'ab'.repeat(2_000)),
);

/** Clients who wrote alternately. */
const mixed = () => {
  const authors = [new Y.Doc(), new Y.Doc(), new Y.Doc()];
  const doc = new Y.Doc();
  const change = () => {
    for (let index = 0; index < 600; index++) {
      for (const author of authors) {
        const array = author.getArray('k');
        array.insert(array.length >> 1, [new Y.Map(), index, new Y.Map()]);
      }
      if (index % 100 === 99) synchronise(...authors);
    }
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(authors[0] as Y.Doc));
  };
  return { doc, change };
};

const LONG = `a${'😀'.repeat(300_000)}`;
const VALUES = Array.from({ length: 20_000 }, (_, at) => `value ${at}`);

describe('a large update', () => {
  it.each<[what: string, make: () => { doc: Y.Doc; change: () => void }, parts: number]>([
    ['that replaces a document', replaced, 3],
    ['that deletes in many places', thinned, 20],
    ['with a very long text', changed((doc) => doc.getText('k').insert(0, LONG)), 3],
    ['with many values in one item', changed((doc) => doc.getArray('k').insert(0, VALUES)), 4],
    ['of several clients', mixed, 4],
  ])('%s is split into parts of bounded size with the same effect', (_, make, least) => {
    const { doc, change } = make();
    const remote = copyOf(doc);
    const [update, ...others] = sentBy(doc, change);
    expect(others).toEqual([]);
    const parts = splitUpdate(update ?? new Uint8Array());
    expect(parts.length).toBeGreaterThanOrEqual(least);
    for (const part of parts) {
      const { structs, ds } = Y.decodeUpdate(part);
      expect(structs.length).toBeLessThanOrEqual(1_500);
      const ranges = [...ds.clients.values()].flat();
      expect(ranges.length).toBeLessThanOrEqual(25);
      expect(ranges.reduce((sum, { len }) => sum + len, 0)).toBeLessThanOrEqual(6_000);
      Y.applyUpdate(remote, part);
      expect(remote.store.pendingStructs).toBeNull();
    }
    // Of a text, no surrogate pair was split.
    expect(Y.encodeStateAsUpdate(remote)).toEqual(Y.encodeStateAsUpdate(doc));
  });

  it('is compatible with edits between two parts', () => {
    const { doc, change } = replaced();
    const remote = copyOf(doc);
    const [update = new Uint8Array()] = sentBy(doc, change);
    for (const [at, part] of splitUpdate(update).entries()) {
      if (at === 1) remote.getXmlFragment('k').insert(0, [new Y.XmlElement('mine')]);
      Y.applyUpdate(remote, part);
    }
    synchronise(doc, remote);
    expect(doc.getXmlFragment('k').toString()).toBe(remote.getXmlFragment('k').toString());
    expect(doc.getXmlFragment('k').length).toBe(1_501);
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

  it('that is small is not split', () => {
    const update = Y.encodeStateAsUpdate(documentReading(paragraphs(10, 'old')));
    expect(splitUpdate(update)).toEqual([update]);
  });
});
