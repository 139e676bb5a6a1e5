import { Node, Schema } from '@tiptap/pm/model';
import { prosemirrorToYXmlFragment, updateYFragment } from '@tiptap/y-tiptap';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type * as Y from 'yjs';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { type Editor, makePlan, openEditor, userToken } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';

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

let count = 0;
let place: { organizationId: string; documentId: string; editorId: string };
const server = testServer();
beforeAll(async () => {
  await makePlan(server);
});
beforeEach(() => {
  place = { organizationId: 'acme', documentId: 'plan', editorId: `blocks-${++count}` };
});

const open = async (userId: string): Promise<Editor> =>
  openEditor({
    url: server.url,
    name: `acme/plan/${place.editorId}`,
    token: await userToken(server, userId, { accessRole: 'editor' }),
  });
const rootOf = ({ doc }: Editor) => doc.getXmlFragment('default');

async function openWith(blocks: Block[]): Promise<Editor> {
  const editor = await open('ada');
  prosemirrorToYXmlFragment(toNode(blocks), rootOf(editor));
  await editor.sent();
  return editor;
}

/** Changes the blocks as an editor of ProseMirror does. */
async function change(editor: Editor, blocks: Block[]): Promise<void> {
  const meta = { mapping: new Map(), isOMark: new Map() };
  editor.doc.transact(() => updateYFragment(editor.doc, rootOf(editor), toNode(blocks), meta));
  await editor.sent();
}

async function suggest(quote: string, replacement: string): Promise<string> {
  const suggestions = [{ quote, replacement, from: { userId: 'ada' } }];
  const added = dataOf(await server.call('/v2/suggestions/add', { ...place, suggestions }));
  const [[annotationId, outcome] = ['', {}]] = Object.entries(added);
  expect(outcome).toMatchObject({ success: true });
  return annotationId;
}

const decide = async (verb: 'accept' | 'reject', annotationIds: string[]) =>
  dataOf(await server.call(`/v2/suggestions/${verb}`, { ...place, annotationIds }));

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

interface Case {
  what: string;
  edited: Block[];
  /** The blocks after an accept; undefined where the suggestion is refused. */
  accepted: Block[] | undefined;
}

const sentence = (type: Block[0], text = SENTENCE): Block => [type, text];
const cases: Case[] = [
  {
    what: 'became a heading',
    edited: [FIRST, sentence('heading'), LAST],
    accepted: [FIRST, sentence('heading', ACCEPTED), LAST],
  },
  {
    what: 'became an item of a list',
    edited: [FIRST, sentence('item'), LAST],
    accepted: [FIRST, sentence('item', ACCEPTED), LAST],
  },
  {
    what: 'was split before the passage',
    edited: [FIRST, ['paragraph', 'We launch the '], ['paragraph', SENTENCE.slice(14)], LAST],
    accepted: [FIRST, ['paragraph', 'We launch the '], ['paragraph', ACCEPTED.slice(14)], LAST],
  },
  {
    what: 'was split within the passage',
    edited: [FIRST, ['paragraph', SENTENCE.slice(0, 37)], ['paragraph', SENTENCE.slice(37)], LAST],
    accepted: undefined,
  },
  {
    what: 'was joined with the block before it',
    edited: [['heading', `${FIRST[1]}${SENTENCE}`], LAST],
    accepted: [['heading', `${FIRST[1]}${ACCEPTED}`], LAST],
  },
  {
    what: 'moved to the end, as a heading',
    edited: [FIRST, LAST, sentence('heading')],
    accepted: [FIRST, LAST, sentence('heading', ACCEPTED)],
  },
  {
    what: 'was copied, and its own place is gone',
    edited: [sentence('heading'), FIRST, LAST, sentence('item')],
    accepted: undefined,
  },
  { what: 'is gone', edited: [FIRST, LAST], accepted: undefined },
  {
    what: 'lost a word of the passage',
    edited: [FIRST, sentence('paragraph', SENTENCE.replace('first ', '')), LAST],
    accepted: undefined,
  },
];

describe.each([
  ['a short document', [] as Block[]],
  ['a document of 29 KB', long],
])('a suggestion in %s', (_where, more) => {
  it.each(cases)('whose block $what', async ({ edited, accepted }) => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST, ...more]);
    const second = await open('grace');
    const annotationId = await suggest('in the first week', 'in the last week');
    await change(editor, [...edited, ...more]);
    const { [annotationId]: outcome } = await decide('accept', [annotationId]);
    if (!accepted) {
      expect(outcome).toMatchObject({
        success: false,
        status: 'FAILED_PRECONDITION',
        details: { present: expect.stringMatching(/\w/) },
      });
      expect(await suggestionOf(annotationId)).toMatchObject({ status: 'pending' });
      // A suggestion that cannot be accepted can still be rejected.
      expect((await decide('reject', [annotationId]))[annotationId].success).toBe(true);
    } else expect(outcome).toMatchObject({ success: true });
    for (const each of [editor, second]) {
      await eventually(() =>
        expect(blocksOf(rootOf(each))).toEqual([...(accepted ?? edited), ...more]),
      );
    }
  });
});

describe('a suggestion for several blocks', () => {
  const blocks: Block[] = [
    ['heading', 'The *first* part of the plan'],
    ['paragraph', 'The second part of the plan'],
    ['item', 'The third part of the plan'],
    LAST,
  ];
  const quote = 'first part of the plan\nThe second part of the plan\nThe third part';
  const replacement = 'first step of the plan\nThe second step of the plan\nThe third step';
  const stepped = blocks.map(([type, text]): Block => [type, text.replace('part', 'step')]);
  const [one, two, three] = blocks as [Block, Block, Block, Block];

  it.each<[what: string, edited: Block[], accepted: Block[] | undefined]>([
    ['is applied to each of them', blocks, stepped],
    [
      'follows all of them to another place',
      [LAST, ...blocks.slice(0, 3)],
      [LAST, ...stepped.slice(0, 3)],
    ],
    ['is refused where one moved away', [one, three, LAST, two], undefined],
    ['is refused where a block came between', [one, ['paragraph', 'New'], two, three], undefined],
    ['is refused where one is gone', [one, three, LAST], undefined],
  ])('%s', async (_what, edited, accepted) => {
    const editor = await openWith(blocks);
    const annotationId = await suggest(quote, replacement);
    await change(editor, edited);
    const { [annotationId]: outcome } = await decide('accept', [annotationId]);
    expect(outcome.success).toBe(accepted !== undefined);
    const second = await open('grace');
    for (const each of [editor, second]) {
      await eventually(() => expect(blocksOf(rootOf(each))).toEqual(accepted ?? edited));
    }
  });
});

describe('answers at once', () => {
  const answersTo = async (annotationId: string) =>
    (await eventsOf(server, 'acme')).filter(
      ({ type, data }) =>
        data.annotationId === annotationId && /suggestion_(accept|reject)$/.test(type),
    );

  it('of two overlapping suggestions one is applied, and the other learns the text', async () => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST]);
    const ids = [
      await suggest('in the first week', 'in the last week'),
      await suggest('first week of May', 'second week of May'),
    ];
    const outcomes = Object.assign(
      {},
      ...(await Promise.all(ids.map((annotationId) => decide('accept', [annotationId])))),
    );
    const [won, lost] = [true, false].map((success) =>
      ids.filter((annotationId) => outcomes[annotationId].success === success),
    );
    expect([won, lost]).toEqual([[expect.any(String)], [expect.any(String)]]);
    const present = won?.[0] === ids[0] ? 'last week of May' : 'second week of May';
    expect(outcomes[lost?.[0] ?? '']).toMatchObject({
      status: 'FAILED_PRECONDITION',
      details: { present: expect.stringContaining(present) },
    });
    const text = `We launch the *new product* in the ${present}.`;
    await eventually(() =>
      expect(blocksOf(rootOf(editor))).toEqual([FIRST, ['paragraph', text], LAST]),
    );
  });

  it('an acceptance and a rejection leave one answer, and the text that it means', async () => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST]);
    const annotationId = await suggest('in the first week', 'in the last week');
    const outcomes = await Promise.all([
      decide('accept', [annotationId]),
      decide('reject', [annotationId]),
    ]);
    expect(outcomes.filter((each) => each[annotationId].success)).toHaveLength(1);
    const { status } = await suggestionOf(annotationId);
    expect(await answersTo(annotationId)).toMatchObject([{ data: { suggestion: { status } } }]);
    const text = status === 'accepted' ? ACCEPTED : SENTENCE;
    await eventually(() =>
      expect(blocksOf(rootOf(editor))).toEqual([FIRST, ['paragraph', text], LAST]),
    );
  });

  it('what an editor wrote without a connection meets an accepted suggestion', async () => {
    const editor = await openWith([FIRST, sentence('paragraph'), LAST]);
    const offline = await open('grace');
    offline.provider.configuration.websocketProvider.disconnect();
    const meta = { mapping: new Map(), isOMark: new Map() };
    const written: Block = ['paragraph', `Soon: ${SENTENCE}`];
    offline.doc.transact(() =>
      updateYFragment(offline.doc, rootOf(offline), toNode([FIRST, written, LAST]), meta),
    );
    const annotationId = await suggest('in the first week', 'in the last week');
    expect((await decide('accept', [annotationId]))[annotationId].success).toBe(true);
    await offline.provider.configuration.websocketProvider.connect();
    for (const each of [editor, offline]) {
      await eventually(() =>
        expect(blocksOf(rootOf(each))).toEqual([FIRST, ['paragraph', `Soon: ${ACCEPTED}`], LAST]),
      );
    }
  });
});
