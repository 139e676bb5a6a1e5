import { Schema } from '@tiptap/pm/model';
import { prosemirrorToYXmlFragment } from '@tiptap/y-tiptap';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  type Anchor,
  anchorOf,
  createAnchor,
  isOrphaned,
  proseMirrorPositions,
  proseMirrorRanges,
  resolveAnchor,
} from '../../src/client/anchors.ts';

const SENTENCE = 'We launch the new product in the first week of May.';

/** A paragraph or a heading in a document of Yjs. */
function addBlock(fragment: Y.XmlFragment, name: string, content: string, at = 0): Y.XmlText {
  const text = new Y.XmlText(content);
  const element = new Y.XmlElement(name);
  fragment.insert(at, [element]);
  element.insert(0, [text]);
  return text;
}

/** An anchor at a quote, as it comes back from the server. */
function anchorAt(text: Y.Text, quote: string): Anchor {
  const start = text.toString().indexOf(quote);
  const anchor = createAnchor([{ text, start, end: start + quote.length }]);
  const stored = anchorOf({ location: JSON.parse(JSON.stringify({ anchor })) });
  if (!stored) throw new Error('The anchor was not read.');
  return stored;
}

/** The text at which an anchor is now; undefined when its text is gone. */
function foundText(doc: Y.Doc, anchor: Anchor): string | undefined {
  const [range] = resolveAnchor(doc, anchor);
  expect(isOrphaned(doc, anchor)).toBe(range === undefined);
  return range?.text.toString().slice(range.start, range.end);
}

it.each<[name: string, edit: (text: Y.Text) => void, found: string | undefined]>([
  ['stays at it', () => {}, 'new product'],
  ['follows what is written before it', (text) => text.insert(0, 'Then: '), 'new product'],
  ['takes what is written inside', (text) => text.insert(17, ' big'), 'new big product'],
  ['takes nothing that is written at its start', (text) => text.insert(14, 'X'), 'new product'],
  ['takes nothing that is written at its end', (text) => text.insert(25, 'X'), 'new product'],
  ['keeps what is left of it', (text) => text.delete(14, 4), 'product'],
  ['says that its text is gone', (text) => text.delete(10, 20), undefined],
])('an anchor in a text %s', (_name, edit, found) => {
  const doc = new Y.Doc();
  const text = doc.getText('body');
  text.insert(0, SENTENCE);
  const anchor = anchorAt(text, 'new product');
  edit(text);
  expect(foundText(doc, anchor)).toBe(found);
});

describe('an anchor in blocks', () => {
  const replace = (fragment: Y.XmlFragment, name: string, content: string) => {
    fragment.delete(0, 1);
    return addBlock(fragment, name, content);
  };

  it.each<[name: string, change: (fragment: Y.XmlFragment) => void, found: string | undefined]>([
    ['finds a block of another kind', (all) => replace(all, 'heading', SENTENCE), 'new product'],
    ['finds a block that moved', (all) => replace(all, 'p', `Soon: ${SENTENCE}`), 'new product'],
    [
      'takes the better of two places',
      (all) => {
        replace(all, 'p', SENTENCE);
        addBlock(all, 'p', 'Nobody needs a new product today.', 1);
      },
      'new product',
    ],
    [
      'takes neither of two equal places',
      (all) => {
        replace(all, 'p', SENTENCE);
        addBlock(all, 'p', SENTENCE, 1);
      },
      undefined,
    ],
    [
      'does not take the same word elsewhere',
      (all) => replace(all, 'p', 'a new product'),
      undefined,
    ],
    ['says that its block is gone', (all) => all.delete(0, 1), undefined],
  ])('%s', (_name, change, found) => {
    const doc = new Y.Doc();
    const fragment = doc.getXmlFragment('default');
    const anchor = anchorAt(addBlock(fragment, 'paragraph', SENTENCE), 'new product');
    change(fragment);
    expect(foundText(doc, anchor)).toBe(found);
  });
});

it('a selection in ProseMirror is anchored block by block, through formats and leaves', () => {
  const schema = new Schema({
    nodes: {
      doc: { content: 'block+' },
      paragraph: { group: 'block', content: 'inline*' },
      quote: { group: 'block', content: 'block+' },
      text: { group: 'inline' },
      break: { group: 'inline', inline: true },
    },
    marks: { bold: {} },
  });
  const { paragraph, quote, doc } = schema.nodes as Required<typeof schema.nodes>;
  const bold = schema.text('bold', [schema.mark('bold')]);
  const inline = [schema.text('One '), bold, schema.node('break'), schema.text(' two')];
  const content = doc?.create(null, [
    paragraph?.create(null, inline),
    quote?.create(null, [paragraph?.create(), paragraph?.create(null, schema.text('Three'))]),
  ] as never);
  if (!content) throw new Error('There is no document.');
  const yjs = new Y.Doc();
  const fragment = yjs.getXmlFragment('default');
  prosemirrorToYXmlFragment(content, fragment);
  const selected = (from: number, to: number) => {
    const ranges = proseMirrorRanges(fragment, content, { from, to });
    const positions = ranges.map((range) => proseMirrorPositions(fragment, content, range));
    expect(positions[0]?.from).toBe(from);
    expect(positions.at(-1)?.to).toBe(to);
    return createAnchor(ranges).pieces.map((piece) => piece.quote);
  };
  expect(selected(3, 7)).toEqual(['e bo']);
  // The whole document: 'Three' ends two tokens before its end.
  expect(selected(1, content.content.size - 2)).toEqual(['One bold', ' two', 'Three']);
  expect(selected(content.content.size - 4, content.content.size - 2)).toEqual(['ee']);
});
