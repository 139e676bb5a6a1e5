import { Node, Schema } from '@tiptap/pm/model';
import { prosemirrorToYXmlFragment, updateYFragment } from '@tiptap/y-tiptap';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { joinTexts } from '../../../src/features/crdt/content/passages/joined-text.ts';
import { anchorPassages, replaceAnchored } from '../../../src/features/crdt/worker/passage-jobs.ts';
import { annotationsOf } from '../../support/annotations.ts';
import { type Editor, newEditorPerTest, openPlan } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';

const DECLARED = { contentKey: null, contentType: null };

/** Suggestions in rich text of ProseMirror, whose blocks people change between suggestion and answer. */

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

/** A block, in which `*` stands around bold text. */
type Block = ['paragraph' | 'heading' | 'item', string];

function toNode(blocks: Block[]): Node {
  const content = blocks.map(([type, marked]) => {
    const texts = marked.split('*').flatMap((text, at) => {
      if (text === '') return [];
      return [{ type: 'text', text, ...(at % 2 === 1 && { marks: [{ type: 'bold' }] }) }];
    });
    if (type !== 'item') return { type, content: texts };
    const paragraph = { type: 'paragraph', content: texts };
    return { type: 'list', content: [{ type: 'item', content: [paragraph] }] };
  });
  return Node.fromJSON(schema, { type: 'doc', content });
}

/** The blocks of an editor, as `Block` writes them. */
function blocksOf(fragment: Y.XmlFragment): Block[] {
  return fragment.toArray().map((element) => {
    const { nodeName } = element as Y.XmlElement;
    const text = [...(element as Y.XmlElement).createTreeWalker(() => true)].find(
      (node) => 'toDelta' in node,
    ) as Y.XmlText | undefined;
    const parts = (text?.toDelta() ?? []) as Array<{ insert: string; attributes?: object }>;
    const marked = parts.map(({ insert, attributes }) =>
      attributes && 'bold' in attributes ? `*${insert}*` : insert,
    );
    return [nodeName === 'list' ? 'item' : (nodeName as Block[0]), marked.join('')];
  });
}

const server = testServer();
const place = newEditorPerTest(server);

const open = (userId: string) => openPlan(server, place.editorId, userId);
const rootOf = ({ doc }: Editor) => doc.getXmlFragment('default');

async function openWith(blocks: Block[]): Promise<Editor> {
  const editor = await open('ada');
  prosemirrorToYXmlFragment(toNode(blocks), rootOf(editor));
  await editor.sent();
  return editor;
}

const write = (doc: Y.Doc, blocks: Block[]): void => {
  const meta = { mapping: new Map(), isOMark: new Map() };
  doc.transact(() => updateYFragment(doc, doc.getXmlFragment('default'), toNode(blocks), meta));
};

/** Changes the blocks as an editor of ProseMirror does. */
async function change({ doc, sent }: Editor, blocks: Block[]): Promise<void> {
  write(doc, blocks);
  await sent();
}

const expectBlocks = (editor: Editor, blocks: Block[]) =>
  eventually(() => expect(blocksOf(rootOf(editor))).toEqual(blocks));

async function suggest(quote: string, replacement: string): Promise<string> {
  const suggestions = [{ quote, replacement, from: { userId: 'ada' } }];
  const added = await server.ok('/v2/suggestions/add', { ...place, suggestions });
  const [[annotationId, outcome] = ['', {}]] = Object.entries(added);
  expect(outcome).toMatchObject({ success: true });
  return annotationId;
}

const decide = async (verb: 'accept' | 'reject', annotationId: string) =>
  (await server.ok(`/v2/suggestions/${verb}`, { ...place, annotationIds: [annotationId] }))[
    annotationId
  ];

const suggestionOf = async (annotationId: string) =>
  (await annotationsOf(server).get({ annotationIds: [annotationId] }))[0].suggestion;

const FIRST: Block = ['heading', 'Plan of the year'];
const SENTENCE = 'We launch the *new product* in the first week of May.';
const ACCEPTED = 'We launch the *new product* in the last week of May.';
const LAST: Block = ['paragraph', 'Then we celebrate it with everyone.'];

/** About 29 KB of paragraphs, none of which is like another. */
const long: Block[] = Array.from({ length: 290 }, (_, at) => [
  at % 7 === 0 ? 'item' : 'paragraph',
  `Paragraph ${at} says ${'something about the plan of the year '.repeat(2)}and ends with ${at}.`,
]);

/** What editors make of the blocks, and whether the suggestion is then accepted. */
type Case = [what: string, edited: Block[], isAccepted: boolean];

const sentence = (type: Block[0], text = SENTENCE): Block => [type, text];
const [START, END] = [SENTENCE.slice(0, 37), SENTENCE.slice(37)];
const CASES: Case[] = [
  ['became a heading', [FIRST, sentence('heading'), LAST], true],
  ['became an item of a list', [FIRST, sentence('item'), LAST], true],
  [
    'was split before the passage',
    [FIRST, ['paragraph', 'We launch the '], ['paragraph', SENTENCE.slice(14)], LAST],
    true,
  ],
  ['was split within the passage', [FIRST, ['paragraph', START], ['paragraph', END], LAST], false],
  ['was joined with the block before it', [['heading', `${FIRST[1]}${SENTENCE}`], LAST], true],
  ['moved to the end, as a heading', [FIRST, LAST, sentence('heading')], true],
  [
    'was copied, and its own place is gone',
    [sentence('heading'), FIRST, LAST, sentence('item')],
    false,
  ],
  ['is gone', [FIRST, LAST], false],
  [
    'lost a word of the passage',
    [FIRST, sentence('paragraph', SENTENCE.replace('first ', '')), LAST],
    false,
  ],
];

/** The blocks after the acceptance of a suggestion. */
const replacedIn = (blocks: Block[], from: string, to: string) =>
  blocks.map(([type, text]): Block => [type, text.replace(from, to)]);

describe.each([
  ['a short document', [] as Block[], CASES],
  // In larger documents, the place of a quote is searched in another way.
  ['a document of 29 KB', long, CASES.filter(([what]) => /as a heading|copied|gone/.test(what))],
])('a suggestion in %s', (_where, more, some) => {
  it.each(some)('whose block %s', async (_what, edited, isAccepted) => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST, ...more]);
    const annotationId = await suggest('in the first week', 'in the last week');
    await change(editor, [...edited, ...more]);
    const outcome = await decide('accept', annotationId);
    expect(outcome.success).toBe(isAccepted);
    if (!isAccepted) {
      const details = { present: expect.stringMatching(/\w/) };
      expect(outcome).toMatchObject({ status: 'FAILED_PRECONDITION', details });
      expect(await suggestionOf(annotationId)).toMatchObject({ status: 'pending' });
      // A suggestion that cannot be accepted can still be rejected.
      expect((await decide('reject', annotationId)).success).toBe(true);
    }
    const now = isAccepted ? replacedIn(edited, 'in the first', 'in the last') : edited;
    await expectBlocks(editor, [...now, ...more]);
  });
});

describe('a suggestion for several blocks', () => {
  const one: Block = ['heading', 'The *first* part of the plan'];
  const two: Block = ['paragraph', 'The second part of the plan'];
  const three: Block = ['item', 'The third part of the plan'];
  const blocks = [one, two, three, LAST];
  const quote = 'first part of the plan\nThe second part of the plan\nThe third part';

  it.each<Case>([
    ['is applied to each of them', blocks, true],
    ['follows all of them to another place', [LAST, one, two, three], true],
    ['is refused where one moved away', [one, three, LAST, two], false],
    ['is refused where a block came between', [one, ['paragraph', 'New'], two, three], false],
    ['is refused where one is gone', [one, three, LAST], false],
  ])('%s', async (_what, edited, isAccepted) => {
    const editor = await openWith(blocks);
    const annotationId = await suggest(quote, quote.replaceAll('part', 'step'));
    await change(editor, edited);
    const outcome = await decide('accept', annotationId);
    expect(outcome.success).toBe(isAccepted);
    const now = isAccepted ? replacedIn(edited, 'part', 'step') : edited;
    for (const each of [editor, await open('grace')]) await expectBlocks(each, now);
  });
});

describe('answers at once', () => {
  it('of two overlapping suggestions one is applied, and the other learns the text', async () => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST]);
    const first = await suggest('in the first week', 'in the last week');
    const second = await suggest('first week of May', 'second week of May');
    const outcomes = await Promise.all([decide('accept', first), decide('accept', second)]);
    const [won, lost] = outcomes.toSorted((one, other) => other.success - one.success);
    const present = won === outcomes[0] ? 'last week of May' : 'second week of May';
    expect([won, lost]).toMatchObject([
      { success: true },
      { success: false, status: 'FAILED_PRECONDITION' },
    ]);
    expect(lost.details.present).toContain(present);
    const text = `We launch the *new product* in the ${present}.`;
    await expectBlocks(editor, [FIRST, ['paragraph', text], LAST]);
  });

  it('an acceptance and a rejection leave one answer, and the text that it means', async () => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST]);
    const annotationId = await suggest('in the first week', 'in the last week');
    const verbs = ['accept', 'reject'] as const;
    const outcomes = await Promise.all(verbs.map((verb) => decide(verb, annotationId)));
    expect(outcomes.filter(({ success }) => success)).toHaveLength(1);
    const { status } = await suggestionOf(annotationId);
    const types = verbs.map((verb) => `comment_annotation.suggestion_${verb}`);
    const answers = (await eventsOf(server, 'acme', types)).filter(
      ({ data }) => data.annotationId === annotationId,
    );
    expect(answers).toMatchObject([{ data: { suggestion: { status } } }]);
    const text = status === 'accepted' ? ACCEPTED : SENTENCE;
    await expectBlocks(editor, [FIRST, sentence('paragraph', text), LAST]);
  });
});

const word = fc.constantFrom('one', 'two', 'three', 'launch', '*May*', 'June', 'we');
const kinds = fc.constantFrom<Block[0]>('paragraph', 'heading', 'item');
const block: fc.Arbitrary<Block> = fc.tuple(
  kinds,
  fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' ')),
);

/** A change that a person makes to the blocks between a suggestion and its answer. */
const edit = fc
  .record({
    act: fc.constantFrom('kind', 'split', 'join', 'move', 'write', 'remove', 'copy', 'delete'),
    ...{ at: fc.nat(), to: fc.nat(), kind: kinds, word },
  })
  .map(({ act, at, to, kind, word: written }) => (blocks: Block[]): Block[] => {
    const index = at % blocks.length;
    const target = blocks[index];
    if (!target) return blocks;
    const words = target[1].split(' ');
    const place = to % (words.length + 1);
    const [front, rest] = [words.slice(0, place), words.slice(place)];
    const others = blocks.toSpliced(index, 1);
    const [, next] = blocks[index + 1] ?? [];
    const of = (some: string[], type = target[0]): Block => [type, some.join(' ')];
    return {
      kind: blocks.with(index, of(words, kind)),
      split: blocks.toSpliced(index, 1, of(front), of(rest, kind)),
      join: next ? blocks.toSpliced(index, 2, of([...words, next])) : blocks,
      move: others.toSpliced(to % (others.length + 1), 0, target),
      copy: blocks.toSpliced(to % blocks.length, 0, target),
      write: blocks.with(index, of([...front, written, ...rest])),
      remove: blocks.with(index, of([...front, ...rest.slice(1)])),
      delete: others.length > 0 ? others : blocks,
    }[act];
  });

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
          prosemirrorToYXmlFragment(toNode(blocks), doc.getXmlFragment('default'));
          const text = textOf(doc);
          const start = from % text.length;
          const quote = text.slice(start, start + length);
          const replacement = quote.replace(/[a-z]/g, 'X');
          const passages = [{ quote, replacement, occurrence: 1 }];
          const [found] = anchorPassages(doc, DECLARED, passages);
          // A quote may begin or end between two blocks.
          if (!found || 'problem' in found) return;
          let now = blocks;
          for (const one of edits) {
            now = one(now);
            write(doc, now);
          }
          const before = unbroken(textOf(doc));
          const [problem] = replaceAnchored(doc, DECLARED, [found.parts]);
          const after = unbroken(textOf(doc));
          const possible = withOneReplaced(before, unbroken(quote), unbroken(replacement));
          expect(problem ? [before] : possible).toContain(after);
          if (!problem) applied++;
        },
      ),
      { numRuns: 300 },
    );
    // Most edits leave the quote where it can be found.
    expect(applied).toBeGreaterThan(100);
  });

  it('of a document without content keeps the types of its roots open', () => {
    const doc = new Y.Doc();
    const [found] = anchorPassages(doc, DECLARED, [{ quote: 'x', replacement: 'y' }]);
    expect(found).toMatchObject({ problem: { status: 'NOT_FOUND' } });
    expect(doc.getMap('content').size).toBe(0);
  });
});
