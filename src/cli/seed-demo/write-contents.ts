import { type Demo, forEachOf, unlessItExists } from './demo.ts';
import { type DemoDocument, DOCUMENTS, placeOf } from './places.ts';
import { Random } from './random.ts';
import { SLOTS, TEXTS } from './texts.ts';
import { writersOf } from './write-directory.ts';

/** The editor that holds the text of each document. */
export const BODY = 'body';

interface Draft {
  document: DemoDocument;
  /** The texts of its editor, one after the other. Each is kept as a version. */
  drafts: string[];
  /** Who wrote each draft but the first. */
  writers: string[];
}

/** Rich text in every document, some with versions, and other types of content beside it. */
export async function writeContents(demo: Demo): Promise<void> {
  await forEachOf(makeDrafts(), (draft) => writeDraft(demo, draft));
  await writeOtherTypes(demo);
}

function makeDrafts(): Draft[] {
  const random = new Random(3);
  return DOCUMENTS.map((document) => {
    const slots = { ...SLOTS, subject: [document.subject] };
    const sections = TEXTS[document.kind].sections.map(([title, ...paragraphs]) => {
      const texts = paragraphs.map((text) => `<paragraph>${random.fill(text, slots)}</paragraph>`);
      return `<heading level="{2}">${title}</heading>${texts.join('')}`;
    });
    const title = `<heading level="{1}">${document.documentName}</heading>`;
    // Documents grow by one section a draft.
    const count = 1 + random.below(3);
    const drafts = Array.from({ length: count }, (_, n) =>
      [title, ...sections.slice(0, sections.length - count + n + 1)].join(''),
    );
    const writers = drafts.map(() => random.pick(writersOf(document)).userId);
    return { document, drafts, writers };
  });
}

async function writeDraft(demo: Demo, { document, drafts, writers }: Draft): Promise<void> {
  const editor = { ...placeOf(document), editorId: BODY };
  const [first = '', ...later] = drafts;
  const isNew = await unlessItExists(demo.client.crdt.add({ ...editor, type: 'xml', data: first }));
  if (!isNew) return;
  for (const [n, data] of later.entries()) {
    const writer = demo.as(writers[n] ?? '');
    await writer.crdt.versions.create({ ...editor, name: `Draft ${n + 1}` });
    await writer.crdt.update({ ...editor, type: 'xml', data });
  }
}

/** Plain text, a map and an array: notes, facts and a list of tasks. */
async function writeOtherTypes({ client }: Demo): Promise<void> {
  const others = [
    {
      documentName: 'Aria requirements',
      editorId: 'facts',
      type: 'map',
      data: {
        product: 'Aria',
        firmware: '2.4.1',
        flowRate: { from: 0.1, to: 200, unit: 'ml/h' },
        approvals: ['CE', 'UKCA'],
      },
    },
    {
      documentName: 'Campaign claims',
      editorId: 'claims',
      type: 'array',
      data: [
        { id: 'setup', claim: 'Ready in 27 seconds', source: 'Test report 142', approved: true },
        { id: 'battery', claim: '12 hours on one charge', source: 'Protocol 158', approved: true },
        { id: 'silence', claim: 'The quietest pump', source: null, approved: false },
      ],
    },
    {
      documentName: 'Storyboard',
      editorId: 'shots',
      type: 'array',
      data: ['Corridor, night', 'Display, close', 'Window, morning', 'Logo'],
    },
    {
      documentName: 'Supply agreement, draft 4',
      editorId: 'notes',
      type: 'text',
      data: 'Call with their counsel on Thursday: cap, notice period, right to audit.',
    },
    {
      documentName: 'Risk register',
      editorId: 'risks',
      type: 'map',
      data: {
        motors: { risk: 'One supplier of motors', owner: 'pieter-van-dam', rating: 12 },
        recall: { risk: 'Recall of a battery batch', owner: 'elena-marchetti', rating: 9 },
      },
    },
  ] as const;
  for (const { documentName, ...content } of others) {
    const document = DOCUMENTS.find((one) => one.documentName === documentName);
    if (document) await unlessItExists(client.crdt.add({ ...placeOf(document), ...content }));
  }
}
