import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { readJson } from '../../../src/features/crdt/content/read-json.ts';
import { restoreDocument } from '../../../src/features/crdt/content/restore-document.ts';
import { copyOf, documentWith } from './documents.ts';

const contentsOf = (type: Y.XmlText | Y.Text) =>
  type.toDelta().map((run: { insert: unknown }) => ({ ...run, insert: describeValue(run.insert) }));

/** Describes a value with the kind of everything in it. */
function describeValue(value: unknown): unknown {
  if (value instanceof Y.XmlElement) {
    return [value.nodeName, value.getAttributes(), value.toArray().map(describeValue)];
  }
  if (value instanceof Y.XmlText) return { xml: contentsOf(value), ...value.getAttributes() };
  if (value instanceof Y.XmlFragment) return { fragment: value.toArray().map(describeValue) };
  if (value instanceof Y.Text) return { text: contentsOf(value) };
  if (value instanceof Y.Array) return { array: value.toArray().map(describeValue) };
  if (value instanceof Y.Doc) return { document: value.guid };
  if (!(value instanceof Y.Map)) return value;
  return { map: [...value].map(([key, field]) => [key, describeValue(field)]).sort() };
}

function paragraph(words: string): Y.XmlElement {
  const element = new Y.XmlElement('p');
  element.insert(0, [new Y.XmlText(words)]);
  return element;
}

function fragment(...words: string[]): Y.XmlFragment {
  const made = new Y.XmlFragment();
  made.insert(0, words.map(paragraph));
  return made;
}

function bold(words: string): Y.Text {
  const text = new Y.Text();
  text.insert(0, words, { bold: true });
  return text;
}

function lexical(words: string): Y.XmlText {
  const [text, inner] = [new Y.XmlText(), new Y.XmlText(words)];
  text.insertEmbed(0, inner);
  text.setAttribute('__type', 'root');
  return text;
}

const map = (doc: Y.Doc) => doc.getMap('root');
const array = (doc: Y.Doc) => doc.getArray('root');
const text = (doc: Y.Doc) => doc.getText('root');
const xml = (doc: Y.Doc) => doc.getXmlFragment('root');

type Case = [
  what: string,
  open: (doc: Y.Doc) => unknown,
  fill: (doc: Y.Doc) => unknown,
  change: (doc: Y.Doc) => unknown,
];

const inMap = (what: string, make: () => unknown): Case[] => [
  [`${what}, deleted`, map, (doc) => map(doc).set('a', make()), (doc) => map(doc).clear()],
  [`${what}, replaced`, map, (doc) => map(doc).set('a', make()), (doc) => map(doc).set('a', 1)],
];
const inBoth = (what: string, make: () => unknown): Case[] => [
  ...inMap(what, make),
  [
    `${what} in an array, deleted`,
    array,
    (doc) => array(doc).push(['first', make(), make()]),
    (doc) => array(doc).delete(0, 2),
  ],
];

const CASES: Case[] = [
  ...inBoth('rich text', () => fragment('one', 'two')),
  ...inMap('rich text of Lexical', () => lexical('one')),
  ...inMap('an element', () => paragraph('one')),
  ...inBoth('a formatted text', () => bold('one')),
  ...inBoth('an object', () => new Y.Map([['text', bold('one')]])),
  ...inBoth('a plain object', () => ({ id: 1, list: [null] })),
  ...inBoth('a list', () => Y.Array.from([new Y.Text('one'), 2])),
  ...inBoth('bytes', () => Uint8Array.of(1, 2)),
  ...inBoth('a number that JSON lacks', () => Number.NaN),
  ...inMap('a big number', () => 10n),
  ...inBoth('a subdocument', () => new Y.Doc({ guid: 'inner' })),
  ['characters that XML does not allow', text, (d) => text(d).insert(0, 'a\0b'), empty(text)],
  [
    'characters in rich text that XML does not allow',
    xml,
    (doc) => xml(doc).insert(0, [paragraph('a\u000bb')]),
    empty(xml),
  ],
];

function empty(
  open: (doc: Y.Doc) => { delete(from: number, count: number): void; length: number },
) {
  return (doc: Y.Doc) => open(doc).delete(0, open(doc).length);
}

function restore(doc: Y.Doc, past: Y.Doc): void {
  const copy = copyOf(doc);
  restoreDocument(copy, past);
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(copy));
}

describe('a restore', () => {
  it.each(CASES)('brings back %s with its type and its content', (_, open, fill, change) => {
    const doc = documentWith(fill);
    const before = describeValue(open(doc));
    const past = copyOf(doc);
    doc.transact(() => change(doc));
    expect(describeValue(open(doc))).not.toEqual(before);
    restore(doc, past);
    expect(describeValue(open(doc))).toEqual(before);
    const unchanged = Y.encodeStateVector(doc);
    restore(doc, past);
    expect(Y.encodeStateVector(doc)).toEqual(unchanged);
  });

  it('changes what editors are bound to, and does not replace it', () => {
    const doc = documentWith((made) => {
      map(made).set('title', bold('title'));
      map(made).set('body', fragment('one', 'two'));
      map(made).set('cells', Y.Array.from([new Y.Map([['source', new Y.Text('print')]])]));
    });
    const [title, body, cells] = ['title', 'body', 'cells'].map((key) => map(doc).get(key)) as [
      Y.Text,
      Y.XmlFragment,
      Y.Array<Y.Map<Y.Text>>,
    ];
    const source = cells.get(0).get('source') as Y.Text;
    const before = describeValue(map(doc));
    const past = copyOf(doc);
    doc.transact(() => {
      title.format(0, 3, { bold: null });
      body.delete(0, 1);
      source.insert(0, 'x');
    });
    restore(doc, past);
    expect(describeValue(map(doc))).toEqual(before);
    expect([map(doc).get('title'), map(doc).get('body')]).toEqual([title, body]);
    expect(cells.get(0).get('source')).toBe(source);
    expect(String(source)).toBe('print');
  });
});

it('an array of rich texts is an array', () => {
  const doc = copyOf(documentWith((made) => array(made).push([fragment('one')])));
  expect(readJson(doc, 'root', 'array')).toEqual(['<p>one</p>']);
});
