import { Node, Schema } from '@tiptap/pm/model';
import { prosemirrorToYXmlFragment, updateYFragment } from '@tiptap/y-tiptap';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { joinTexts } from '../../../src/features/crdt/content/passages/joined-text.ts';
import { anchorPassages, replaceAnchored } from '../../../src/features/crdt/worker/passage-jobs.ts';

const DECLARED = { contentKey: null, contentType: null };

const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: { group: 'block', content: 'text*' },
    heading: { group: 'block', content: 'text*' },
    list: { group: 'block', content: 'item+' },
    item: { content: 'paragraph+' },
    text: {},
  },
  marks: { bold: {} },
});

/** A block of text, as an editor shows it. */
interface Block {
  kind: 'paragraph' | 'heading' | 'list';
  words: string[];
}

const word = fc.constantFrom('one', 'two', 'three', 'launch', 'May', 'June', 'we');
const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom('paragraph', 'heading', 'list'),
  words: fc.array(word, { minLength: 1, maxLength: 8 }),
});

/** Changes that a person makes to the blocks between a suggestion and its answer. */
const edit = fc.record({
  act: fc.constantFrom('kind', 'split', 'join', 'move', 'write', 'remove', 'copy', 'delete'),
  at: fc.nat(),
  to: fc.nat(),
  kind: fc.constantFrom<Block['kind']>('paragraph', 'heading', 'list'),
  word,
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

function edited(blocks: Block[], { act, at, to, kind, word: written }: Edit): Block[] {
  const index = at % blocks.length;
  const target = blocks[index];
  if (!target) return blocks;
  const { words } = target;
  const place = to % (words.length + 1);
  const others = blocks.toSpliced(index, 1);
  const next = blocks[index + 1];
  switch (act) {
    case 'kind':
      return blocks.with(index, { ...target, kind });
    case 'split':
      return blocks.toSpliced(
        index,
        1,
        { ...target, words: words.slice(0, place) },
        { kind, words: words.slice(place) },
      );
    case 'join':
      return next
        ? blocks.toSpliced(index, 2, { ...target, words: [...words, ...next.words] })
        : blocks;
    case 'move':
      return others.toSpliced(to % (others.length + 1), 0, target);
    case 'copy':
      return blocks.toSpliced(to % blocks.length, 0, target);
    case 'write':
      return blocks.with(index, { ...target, words: words.toSpliced(place, 0, written) });
    case 'remove':
      return blocks.with(index, { ...target, words: words.toSpliced(place, 1) });
    case 'delete':
      return others.length > 0 ? others : blocks;
  }
}

function toNode(blocks: Block[]): Node {
  const content = blocks.map(({ kind, words }) => {
    const texts = words.map((text, at) => ({
      type: 'text',
      text: at === 0 ? text : ` ${text}`,
      ...(text === 'May' && { marks: [{ type: 'bold' }] }),
    }));
    if (kind !== 'list') return { type: kind, content: texts };
    const paragraph = { type: 'paragraph', content: texts };
    return { type: 'list', content: [{ type: 'item', content: [paragraph] }] };
  });
  return Node.fromJSON(schema, { type: 'doc', content });
}

const textOf = (doc: Y.Doc) => joinTexts(doc.getXmlFragment('default')).content;

/** Blocks of a passage may be joined, split or separated. */
const unbroken = (text: string) => text.replaceAll('\n', '');

/** All texts in which one occurrence of a quote is replaced. */
function withOneReplaced(text: string, quote: string, replacement: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    found.push(text.slice(0, at) + replacement + text.slice(at + quote.length));
  }
  return found;
}

describe('an accepted suggestion', () => {
  it('replaces its quote once or changes nothing, whatever editors did before', () => {
    let applied = 0;
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        fc.array(edit, { maxLength: 4 }),
        (blocks, from, length, edits) => {
          const doc = new Y.Doc();
          const fragment = doc.getXmlFragment('default');
          prosemirrorToYXmlFragment(toNode(blocks), fragment);
          const text = textOf(doc);
          const start = from % text.length;
          const quote = text.slice(start, start + length);
          const replacement = quote.replace(/[a-z]/g, 'X');
          const passages = [{ quote, replacement, occurrence: 1 }];
          const [found] = anchorPassages(doc, DECLARED, passages);
          // A quote may begin or end between two blocks.
          if (!found || 'problem' in found) return;
          const meta = { mapping: new Map(), isOMark: new Map() };
          let now = blocks;
          for (const one of edits) {
            now = edited(now, one);
            doc.transact(() => updateYFragment(doc, fragment, toNode(now), meta));
          }
          const before = unbroken(textOf(doc));
          const [problem] = replaceAnchored(doc, DECLARED, [found.parts]);
          const after = unbroken(textOf(doc));
          if (problem) expect(after).toBe(before);
          else
            expect(withOneReplaced(before, unbroken(quote), unbroken(replacement))).toContain(
              after,
            );
          if (!problem) applied++;
        },
      ),
      { numRuns: 500 },
    );
    // Most edits leave the quote where it can be found.
    expect(applied).toBeGreaterThan(200);
  });

  it('of a document without content keeps the types of its roots open', () => {
    const doc = new Y.Doc();
    const [found] = anchorPassages(doc, DECLARED, [{ quote: 'x', replacement: 'y' }]);
    expect(found).toMatchObject({ problem: { status: 'NOT_FOUND' } });
    expect(doc.getMap('content').size).toBe(0);
  });
});
