import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { readXml, replaceXml } from '../../../src/features/crdt/content/xml/xml-content.ts';
import { copyOf, documentWith, synchronise, updateSizes } from './documents.ts';

/** Rich text as an editor would produce it: elements, and runs of text with marks. */
type RichNode = RichElement | { runs: Array<{ insert: unknown; attributes: object }> };
interface RichElement {
  name: string;
  attributes: Record<string, unknown>;
  children: RichNode[];
}

const values = fc.oneof(
  fc.constantFrom('', 'x', '2', 'true', '{}', '{x', 2, -1.5, true, null, [1, 'a'], { a: { b: 1 } }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const attributes = fc.dictionary(
  fc.constantFrom('id', 'level', 'checked', 'href', 'odd name', '_x0041_'),
  values,
  { maxKeys: 2 },
);

const inserts = fc.oneof(
  fc.constantFrom('a', 'one two', ' ', '\n', '\t', ' \r\n', '<&">', ']]>', 'x\u0001', '\ud800'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  fc.constantFrom({ image: 'a.png' }, { n: [1] }),
);
// Marks of comments may overlap, and the binding of ProseMirror adds a hash to their names.
const marks = ['bold', 'link', 'note', 'comment--4q+/rA=='];
const formats = fc.dictionary(
  fc.constantFrom(...marks),
  fc.constantFrom({}, { href: 'x' }, { level: 2, _: 'y' }),
  { maxKeys: 2 },
);
const runs = fc.array(fc.record({ insert: inserts, attributes: formats }), {
  minLength: 1,
  maxLength: 3,
});

const { node } = fc.letrec<{ node: RichNode; element: RichElement }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ runs }),
    tie('element'),
  ),
  element: fc.record({
    name: fc.constantFrom('p', 'p', 'heading', 'bulletList', '1 odd', 'text', 'bold', '_embed'),
    attributes,
    children: fc.array(tie('node'), { maxLength: 4 }),
  }),
}));

const richTexts = fc.array(node, { maxLength: 6 });

const fillFragment = (parent: Y.XmlFragment, nodes: readonly RichNode[]): void =>
  parent.insert(0, nodes.map(build));

function build(rich: RichNode): Y.XmlElement | Y.XmlText {
  if ('runs' in rich) {
    const text = new Y.XmlText();
    text.applyDelta(structuredClone(rich.runs));
    return text;
  }
  const element = new Y.XmlElement(rich.name);
  for (const [name, value] of Object.entries(rich.attributes)) {
    element.setAttribute(name, value as string);
  }
  fillFragment(element, rich.children);
  return element;
}

const KEY = 'default';

const replace = (doc: Y.Doc, data: string, marks?: string[]) =>
  replaceXml(doc, { key: KEY, data, marks });
const read = (doc: Y.Doc, marks?: string[]) => readXml(doc, KEY, marks);

function documentReading(xml: string): Y.Doc {
  const doc = new Y.Doc();
  replace(doc, xml);
  return doc;
}

/** A document with one element, which has these children. */
const documentOf = (name: string, children: Array<Y.XmlElement | Y.XmlText>) =>
  documentWith((made) => {
    const element = new Y.XmlElement(name);
    element.insert(0, children);
    made.getXmlFragment(KEY).insert(0, [element]);
  });

const inside = (children: RichNode[]): RichNode[] => [{ name: 'doc', attributes: {}, children }];

/** The elements and texts inside the first root, as Yjs stores them. */
const deltaOf = (doc: Y.Doc) =>
  (doc.getXmlFragment(KEY).get(0) as Y.XmlElement)
    .toArray()
    .map((child) =>
      child instanceof Y.XmlText ? child.toDelta() : (child as Y.XmlElement).nodeName,
    );

describe('any rich text', () => {
  it('can be put back as it was read without a change', () => {
    fc.assert(
      fc.property(richTexts, (nodes) => {
        const doc = documentWith((made) => fillFragment(made.getXmlFragment(KEY), nodes));
        const xml = read(doc);
        expect(updateSizes(doc, () => expect(replace(doc, xml)).toBe(false))).toEqual([]);
        const after = documentWith((made) => made.getXmlFragment(KEY));
        replace(after, xml);
        expect(read(after)).toBe(read(copyOf(after)));
      }),
      { numRuns: 100 },
    );
  });

  it('equals the content that replaced it, at every client', () => {
    fc.assert(
      // In a document without text a mark beside the roots would be an element.
      fc.property(richTexts.map(inside), richTexts.map(inside), (before, target) => {
        const doc = documentWith((made) => fillFragment(made.getXmlFragment(KEY), before));
        const other = documentWith((made) => fillFragment(made.getXmlFragment(KEY), target));
        const remote = copyOf(doc);
        // Stored content defines what its names mean, so both sides must agree.
        replace(doc, read(other, marks), marks);
        synchronise(doc, remote);
        for (const at of [doc, remote, copyOf(doc)]) {
          expect(read(at, marks)).toBe(read(other, marks));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('replacing', () => {
  it('changes only the words that differ', () => {
    const paragraphs = Array.from({ length: 2_000 }, (_, at) => `<p>Paragraph number ${at}</p>`);
    const doc = documentReading(paragraphs.join(''));
    paragraphs[900] = '<p>Paragraph number nine hundred</p>';
    const sizes = updateSizes(doc, () => replace(doc, paragraphs.join('')));
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeLessThan(100);
  });

  it('keeps concurrent edits in a paragraph next to a new one', () => {
    const doc = documentReading('<p>The first one</p><p>The second one</p>');
    const remote = copyOf(doc);
    const second = remote.getXmlFragment(KEY).get(1) as Y.XmlElement;
    (second.get(0) as Y.XmlText).insert(14, ', typed');
    const edited = '<p>The first one</p><p>A new one</p><p>The second <b>big</b> one';
    replace(doc, `${edited}</p>`);
    synchronise(doc, remote);
    expect(read(doc)).toBe(`${edited}, typed</p>`);
  });

  it('keeps cursors and undo of other users', () => {
    const doc = documentReading('<p>Hello world</p>');
    const text = (doc.getXmlFragment(KEY).get(0) as Y.XmlElement).get(0) as Y.XmlText;
    const undo = new Y.UndoManager(doc.getXmlFragment(KEY), { trackedOrigins: new Set(['me']) });
    doc.transact(() => text.insert(11, '!'), 'me');
    const cursor = Y.createRelativePositionFromTypeIndex(text, 6);
    replace(doc, '<h>New</h><p>Hello <b>big</b> world!</p>');
    expect(Y.createAbsolutePositionFromRelativePosition(cursor, doc)?.index).toBe(10);
    undo.undo();
    expect(read(doc)).toBe('<h>New</h><p>Hello <b>big</b> world</p>');
  });

  it('does not match elements of the same name with different ids', () => {
    const doc = documentReading('<block id="1"><p>a</p></block><block id="2"><p>b</p></block>');
    const [, second] = doc.getXmlFragment(KEY).toArray();
    replace(doc, '<block id="2"><p>a</p></block>');
    expect(doc.getXmlFragment(KEY).toArray()).toEqual([second]);
  });

  it('joins adjacent parts of a text', () => {
    const doc = documentOf('p', [new Y.XmlText('one '), new Y.XmlText(''), new Y.XmlText('two')]);
    expect(read(doc)).toBe('<p>one two</p>');
    expect(replace(doc, '<p>one two</p>')).toBe(false);
    replace(doc, '<p>one and two, too</p>');
    expect(read(doc)).toBe('<p>one and two, too</p>');
  });
});

describe('marks', () => {
  it('are set on text without inserting it again', () => {
    const doc = documentReading('<p>one two three</p>');
    const sizes = updateSizes(doc, () => replace(doc, '<p>one <b>two</b> three</p>'));
    expect(sizes[0]).toBeLessThan(60);
    expect(read(doc)).toBe('<p>one <b>two</b> three</p>');
  });

  it('are formats where text is allowed, with their attributes, also over an element', () => {
    const doc = documentReading('<p>a<link href="x" target="{null}">b<em>c</em><br/>d</link></p>');
    const link = { href: 'x', target: null };
    expect(deltaOf(doc)).toEqual([
      [
        { insert: 'a' },
        { insert: 'b', attributes: { link } },
        { insert: 'c', attributes: { em: {}, link } },
      ],
      'br',
      [{ insert: 'd', attributes: { link } }],
    ]);
  });

  it('are elements where text is not allowed, or where they have no text inside', () => {
    const doc = documentReading('<code>x</code><p><comment id="1"/></p>');
    const [code, paragraph] = doc.getXmlFragment(KEY).toArray() as Y.XmlElement[];
    expect(code?.nodeName).toBe('code');
    expect(paragraph?.get(0)).toMatchObject({ nodeName: 'comment' });
  });

  it('may have other names, defined by the caller or by the content', () => {
    const doc = documentReading('<p>x</p>');
    replace(doc, '<p><mention id="1">x</mention></p>', ['mention']);
    expect(deltaOf(doc)[0]).toEqual([{ insert: 'x', attributes: { mention: { id: '1' } } }]);
    expect(replace(doc, '<p><mention id="1">x</mention></p>')).toBe(false);
  });

  it('are distinguished from elements of the same name', () => {
    const text = new Y.XmlText();
    text.insert(0, 'x', { code: true });
    const doc = documentOf('code', [text]);
    const xml = read(doc);
    expect(xml).toBe('<_x0063_ode><code>x</code></_x0063_ode>');
    expect(replace(doc, xml)).toBe(false);
  });
});

it.each([
  ['level="2"', { level: 2 }],
  ['level="{2}"', { level: 2 }],
  ['level="{&quot;2&quot;}"', { level: '2' }],
  ['level="two"', { level: 'two' }],
  ['checked="true"', { checked: true }],
  ['width="2"', { width: '2' }],
  ['colwidth="{[100,null]}"', { colwidth: [100, null] }],
  ['data="{&quot;{}&quot;}"', { data: '{}' }],
  ['title="&lt;&quot;&amp;&#10;"', { title: '<"&\n' }],
  ['__proto__="x" constructor="y"', { constructor: 'y' }],
  ['_x0000_="x"', { '\ufffd': 'x' }],
])('attributes %s are typed', (written, attributes) => {
  const doc = documentReading(`<x ${written}/>`);
  const [element] = doc.getXmlFragment(KEY).toArray() as Y.XmlElement[];
  expect(element?.getAttributes()).toEqual(attributes);
  expect(replace(doc, read(doc))).toBe(false);
});

it('whitespace for the layout of XML is not content', () => {
  const doc = documentReading('\n<ul>\n  <li>\n    <p>a <b>b</b> <i>c</i></p>\n  </li>\n</ul>\n');
  expect(read(doc)).toBe('<ul><li><p>a <b>b</b> <i>c</i></p></li></ul>');
});

describe('XML', () => {
  it.each([
    ['an open element', '<p>', /line 1, column 4: unclosed tag: p/],
    ['an element after a declaration', '<?xml version="1.0"?><p>', /line 1, column 25: unclosed/],
    ['a bare ampersand', 'a & b', /line 1, column/],
    ['braces without JSON', '<p a="{x}"/>', /the attribute a has no valid JSON in its braces/],
    ['a document type', '<!DOCTYPE p [<!ENTITY a "&b;&b;">]><p>&a;</p>', /doctype|document type/],
    ['a control character', '<p>\u0001</p>', /disallowed character/],
    ['half of a surrogate pair', '<p>\ud800b</p>', /well-formed Unicode/],
    ['deep JSON', `<x a="{${'['.repeat(65)}${']'.repeat(65)}}"/>`, /64 levels/],
  ])('with %s is refused with its problem', (_, xml, message) => {
    const doc = documentReading('<p>safe</p>');
    expect(() => replace(doc, xml)).toThrow(message);
    expect(read(doc)).toBe('<p>safe</p>');
  });

  it('may have 64 levels, comments, a declaration and all five entities', () => {
    const deep = (inner: string) => `${'<x>'.repeat(64)}${inner}${'</x>'.repeat(64)}`;
    const entities = deep('&lt;&gt;&amp;&quot;&apos;');
    const doc = documentReading(`<?xml version="1.0"?><!-- no content -->${entities}`);
    expect(read(doc)).toBe(deep('&lt;&gt;&amp;"\''));
  });
});
