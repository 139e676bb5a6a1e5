import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { storedTypeOf } from '../../../src/features/crdt/content/content-type.ts';
import { copyOf, documentWith } from './documents.ts';

const sharedFirst = () => [{ insert: new Y.Map() }, { insert: 'after' }];

const filled: [string, string, (doc: Y.Doc) => void][] = [
  ['text', 'plain text', (doc) => doc.getText('k').insert(0, 'hello')],
  ['text', 'an embed alone', (doc) => doc.getText('k').insertEmbed(0, { image: 'x' })],
  ['map', 'a scalar field', (doc) => doc.getMap('k').set('a', 1)],
  ['map', 'a shared field', (doc) => doc.getMap('k').set('a', new Y.Text('x'))],
  ['array', 'scalars', (doc) => doc.getArray('k').push([1, 'a', null])],
  ['array', 'maps', (doc) => doc.getArray('k').push([new Y.Map()])],
  ['xml', 'an element', (doc) => doc.getXmlFragment('k').push([new Y.XmlElement('p')])],
  ['xml', 'a text node', (doc) => doc.getXmlFragment('k').push([new Y.XmlText('p')])],
  // A fragment may contain a hook, although the types of Yjs do not allow it.
  ['xml', 'a hook', (doc) => doc.getXmlFragment('k').push([new Y.XmlHook('h') as never])],
  ['text', 'a shared type before text', (doc) => doc.getText('k').applyDelta(sharedFirst())],
];

describe('storedTypeOf', () => {
  it.each(filled)('distinguishes %s from %s, typed or loaded from updates', (type, _what, fill) => {
    const doc = documentWith(fill);
    expect(storedTypeOf(doc, 'k')).toBe(type);
    expect(storedTypeOf(copyOf(doc), 'k')).toBe(type);
  });

  it('is known from later content, and forgotten with content that was collected', () => {
    const doc = documentWith((made) => made.getText('k').insert(0, 'hello'));
    doc.getText('k').delete(0, 5);
    expect([doc, copyOf(doc)].map((at) => storedTypeOf(at, 'k'))).toEqual(['text', undefined]);
    doc.getText('k').insert(0, 'again');
    expect(storedTypeOf(copyOf(doc), 'k')).toBe('text');
    const emptied = documentWith((made) => made.getMap('k').set('a', new Y.Map([['b', 1]])));
    emptied.getMap('k').delete('a');
    expect(storedTypeOf(copyOf(emptied), 'k'), 'a map without fields').toBe('map');
  });
});
