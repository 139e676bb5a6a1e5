import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { replaceContent } from '../../../src/features/crdt/content/content.ts';
import { ContentMismatch } from '../../../src/features/crdt/content/content-type.ts';
import { readJson } from '../../../src/features/crdt/content/read-json.ts';
import { copyOf, documentWith, updateSizes } from './documents.ts';

const MAP = { key: 'k', type: 'map' } as const;
const ARRAY = { key: 'k', type: 'array' } as const;

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ContentMismatch) return error.reason;
    throw error;
  }
  return 'accepted';
}

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner: unknown) => [{ a: inner }], 1);

describe('replaceContent', () => {
  it('accepts at most 100,000 values, and refuses any depth without recursion', () => {
    const doc = new Y.Doc();
    const replace = (data: unknown) => refusal(() => replaceContent(doc, ARRAY, data));
    expect(replace(new Array(100_000).fill(0))).toBe('too_large');
    expect(replace([nested(500_000)])).toBe('too_deep');
    expect(doc.share.size).toBe(0);
    expect(replace(new Array(99_999).fill(0))).toBe('accepted');
  });

  it('refuses a root of another type, and leaves it untyped', () => {
    const doc = copyOf(documentWith((made) => made.getText('k').insert(0, 'hello')));
    const sizes = updateSizes(doc, () => {
      expect(refusal(() => replaceContent(doc, MAP, {}))).toBe('root_type');
      expect(refusal(() => readJson(doc, 'k', 'array'))).toBe('root_type');
    });
    expect(sizes).toEqual([]);
    expect(doc.share.get('k')?.constructor).toBe(Y.AbstractType);
    expect(readJson(doc, 'k', 'text')).toBe('hello');
  });

  it('replaces content that editors nested deeper than callers may', () => {
    const doc = new Y.Doc();
    doc.getMap('k').set('deep', nested(250));
    expect(replaceContent(doc, MAP, { deep: [1] })).toBe(true);
    expect(readJson(doc, 'k', 'map')).toEqual({ deep: [1] });
    doc.getMap('k').set('deeper', nested(501));
    expect(refusal(() => replaceContent(doc, MAP, {}))).toBe('too_deep');
  });
});

describe('readJson', () => {
  it('does not change a document without such a root', () => {
    const doc = new Y.Doc();
    const types = ['text', 'map', 'array'] as const;
    expect(types.map((type) => readJson(doc, 'k', type))).toEqual(['', {}, []]);
    expect(doc.share.size).toBe(0);
  });

  it('returns JSON for everything that editors can store', () => {
    const doc = documentWith((made) => {
      const root = made.getMap('k');
      root.set('text', new Y.Text('hello'));
      root.set('bytes', new Uint8Array([1, 2]));
      root.set('xml', new Y.XmlElement('p'));
      root.set('values', [undefined, 10n, Number.NaN, { none: undefined }]);
      root.set('none', undefined);
    });
    const values = [null, '10', null, {}];
    const json = { text: 'hello', bytes: 'AQI=', xml: '<p></p>', values };
    expect(readJson(doc, 'k', 'map')).toStrictEqual(json);
    expect(replaceContent(doc, MAP, json)).toBe(false);
  });
});

it('an undo manager of another origin undoes its own edits of an array and a map, and no part of the replacement', () => {
  const doc = documentWith((made) => made.getArray('k').push([new Y.Map([['id', 1]]), 'b']));
  const array = doc.getArray('k');
  const undo = new Y.UndoManager(array, { trackedOrigins: new Set(['author']) });
  const [first] = array.toArray();
  doc.transact(() => {
    if (first instanceof Y.Map) first.set('mine', true);
    array.push(['mine']);
  }, 'author');
  replaceContent(doc, ARRAY, ['a', { id: 1, mine: true, its: 1 }, 'c', 'mine']);
  undo.undo();
  expect(readJson(doc, 'k', 'array')).toEqual(['a', { id: 1, its: 1 }, 'c']);
});
