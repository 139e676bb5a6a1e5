import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { splitUpdate } from '../../../src/features/crdt/aside/split-update.ts';
import { replaceXml } from '../../../src/features/crdt/content/xml/xml-content.ts';
import { copyOf, documentWith } from './documents.ts';

const paragraphs = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `<p id="${word}${at}">${word} ${at}</p>`).join('');

function documentReading(xml: string): Y.Doc {
  return documentWith((doc) => replaceXml(doc, { key: 'k', data: xml, origin: 'api' }));
}

/** What the document sends when it is replaced. */
function updateOf(doc: Y.Doc, xml: string): Uint8Array {
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  replaceXml(doc, { key: 'k', data: xml, origin: 'api' });
  expect(updates).toHaveLength(1);
  return updates[0] ?? new Uint8Array();
}

describe('a large update', () => {
  it('comes in parts of a bounded size that together do the same', () => {
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

  it('merges with what another writes between two parts', () => {
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

  it('that is small stays as it is', () => {
    const update = Y.encodeStateAsUpdate(documentReading(paragraphs(10, 'old')));
    expect(splitUpdate(update)).toEqual([update]);
  });
});
