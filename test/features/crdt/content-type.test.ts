import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { storedTypeOf } from '../../../src/features/crdt/content/content-type.ts';
import { copyOf, documentWith } from './documents.ts';

const filled: [string, string, (doc: Y.Doc) => void][] = [
  ['text', 'plain text', (doc) => doc.getText('k').insert(0, 'hello')],
  ['text', 'an embed alone', (doc) => doc.getText('k').insertEmbed(0, { image: 'x' })],
  ['map', 'a scalar field', (doc) => doc.getMap('k').set('a', 1)],
  ['map', 'a shared field', (doc) => doc.getMap('k').set('a', new Y.Text('x'))],
  ['map', 'a field called __proto__', (doc) => doc.getMap('k').set('__proto__', 1)],
  ['array', 'scalars', (doc) => doc.getArray('k').push([1, 'a', null])],
  ['array', 'bytes', (doc) => doc.getArray('k').push([new Uint8Array([1])])],
  ['array', 'maps', (doc) => doc.getArray('k').push([new Y.Map()])],
  ['xml', 'an element', (doc) => doc.getXmlFragment('k').push([new Y.XmlElement('p')])],
  ['xml', 'a text node', (doc) => doc.getXmlFragment('k').push([new Y.XmlText('p')])],
  [
    'xml',
    'a hook',
    // A fragment may contain a hook, although the types of Yjs do not allow it.
    (doc) => doc.getXmlFragment('k').push([new Y.XmlHook('h') as unknown as Y.XmlElement]),
  ],
  [
    'text',
    'a shared type embedded before text',
    (doc) => {
      doc.getText('k').insert(0, 'after');
      doc.getText('k').insertEmbed(0, new Y.Map());
    },
  ],
];

describe('storedTypeOf', () => {
  it.each(filled)('distinguishes %s from %s, typed or loaded from updates', (type, _what, fill) => {
    const doc = documentWith(fill);
    expect(storedTypeOf(doc, 'k')).toBe(type);
    expect(storedTypeOf(copyOf(doc), 'k')).toBe(type);
  });

  it('does not type the root that it inspects', () => {
    const doc = copyOf(documentWith((made) => made.getText('k').insert(0, 'hello')));
    storedTypeOf(doc, 'k');
    expect(doc.share.get('k')?.constructor).toBe(Y.AbstractType);
    expect(storedTypeOf(doc, 'other')).toBeUndefined();
    expect(doc.share.has('other')).toBe(false);
  });

  it.each([
    ['text', (doc: Y.Doc) => doc.getText('k').delete(0, 5)],
    ['array', (doc: Y.Doc) => doc.getArray('k').delete(0, 3)],
  ])('returns nothing for a %s that became empty and was collected', (type, clear) => {
    const fill = filled.find(([name]) => name === type)?.[2] ?? (() => undefined);
    const doc = documentWith(fill);
    clear(doc);
    expect(storedTypeOf(doc, 'k')).toBe(type);
    expect(storedTypeOf(copyOf(doc), 'k')).toBeUndefined();
  });

  it('recognizes a map whose fields were all deleted', () => {
    const doc = documentWith((made) => made.getMap('k').set('a', new Y.Map([['b', 1]])));
    doc.getMap('k').delete('a');
    expect(storedTypeOf(copyOf(doc), 'k')).toBe('map');
  });

  it('uses deleted content as evidence while it exists', () => {
    const doc = new Y.Doc({ gc: false });
    doc.getText('k').insert(0, 'hello');
    doc.getText('k').delete(0, 5);
    const copy = new Y.Doc({ gc: false });
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
    expect(storedTypeOf(copy, 'k')).toBe('text');
  });

  it('recognizes text that was written after everything before it was deleted', () => {
    const doc = documentWith((made) => made.getText('k').insert(0, 'hello'));
    doc.getText('k').delete(0, 5);
    doc.getText('k').insert(0, 'again');
    expect(storedTypeOf(copyOf(doc), 'k')).toBe('text');
  });
});
