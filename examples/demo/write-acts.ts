import type { CrdtAddInput, RecordingInput } from '../../src/api/contract.ts';
import {
  authorOf,
  DOCUMENTS,
  documentCalled,
  documentRefOf,
  MAKER,
  ORGANIZATIONS,
  PEOPLE,
  peopleOf,
  personCalled,
  readData,
  SLOTS,
  TEXTS,
  writersOf,
} from './company.ts';
import { type Demo, forEachConcurrently, requireOutcomes, unlessItExists } from './demo.ts';
import { Random } from './random.ts';

type Content = Pick<CrdtAddInput, 'editorId' | 'type' | 'data'>;

/** What people do in documents. `documentName` names the document, and `name` the person. */
interface Acts {
  /** Plain text, a map and an array: notes, facts and a list of tasks. */
  contents: Array<{ documentName: string } & Content>;
  approvals: Array<{ documentName: string; name: string; decision: string; reason: string }>;
  notices: Array<{ documentName: string; name: string; act: string; text: string }>;
  recordings: Array<
    { documentName: string; name: string } & Pick<
      RecordingInput,
      'recordingName' | 'durationMs' | 'type'
    >
  >;
  present: Array<{ documentName: string; names: string[] }>;
}
const acts: Acts = readData('acts');

/** The editor that holds the text of each document. */
export const BODY = 'body';

/** Writes rich text into every document, some with versions, and other types of content into a few. */
export async function writeContents(demo: Demo): Promise<void> {
  const random = new Random(3);
  const drafts = DOCUMENTS.map((document) => {
    const texts = draftsOf(document, random);
    const writers = texts.map(() => random.pick(writersOf(document)).userId);
    return {
      editor: { ...documentRefOf(document), editorId: BODY, type: 'xml' as const },
      texts,
      writers,
    };
  });
  await forEachConcurrently(drafts, async ({ editor, texts: [first = '', ...later], writers }) => {
    const isNew = await unlessItExists(demo.client.crdt.add({ ...editor, data: first }));
    if (!isNew) return;
    for (const [n, data] of later.entries()) {
      const { type: _, ...documentRef } = editor;
      const writer = demo.as(writers[n] ?? '');
      await writer.crdt.versions.create({ ...documentRef, name: `Draft ${n + 1}` });
      await writer.crdt.update({ ...editor, data });
    }
  });
  for (const { documentName, ...content } of acts.contents) {
    const documentRef = documentRefOf(documentCalled(documentName));
    await unlessItExists(demo.client.crdt.add({ ...documentRef, ...content }));
  }
}

/** Returns one to three drafts of a document's text. Each draft has one section more than the previous one. */
function draftsOf({ kind, subject, documentName }: (typeof DOCUMENTS)[number], random: Random) {
  const slots = { ...SLOTS, subject: [subject] };
  const sections = TEXTS[kind].sections.map(([title, ...paragraphs]) => {
    const texts = paragraphs.map((text) => `<paragraph>${random.fill(text, slots)}</paragraph>`);
    return `<heading level="{2}">${title}</heading>${texts.join('')}`;
  });
  const title = `<heading level="{1}">${documentName}</heading>`;
  const count = 1 + random.below(3);
  return Array.from({ length: count }, (_, n) =>
    [title, ...sections.slice(0, sections.length - count + n + 1)].join(''),
  );
}

/** The id of the payment record that falsify-database.ts changes. */
export const CHANGED_RECORD = 'demo-payment-2';

/** Writes approvals of whole documents into the activity logs, and payments, one of which is forged later. */
export async function writeApprovals({ client }: Demo): Promise<void> {
  for (const { documentName, name, decision, reason } of acts.approvals) {
    const documentRef = documentRefOf(documentCalled(documentName));
    const activity = {
      activityId: `demo-approval-${documentRef.documentId}`,
      featureType: 'approval',
      actionType: `document.${decision}`,
      actionUser: authorOf(personCalled(name)),
      displayMessageTemplate: `{actionUser} ${decision} {document}: {reason}`,
      displayMessageTemplateData: { document: documentName, reason },
      data: { decision, reason },
    };
    await client.activities.add({ ...documentRef, activities: [activity] });
  }
  // Payment records are not immutable, so that the demo can show how a changed record is detected.
  await client.activityConfig.update({ activityServiceConfig: { immutable: false } });
  await client.activities.add({
    organizationId: MAKER,
    activities: [4_800, 12_500, 3_150].map((euros, n) => ({
      activityId: `demo-payment-${n + 1}`,
      featureType: 'payment',
      actionType: 'payment.released',
      actionUser: authorOf(personCalled('Grace Mwangi')),
      displayMessageTemplate: '{actionUser} released a payment to Kestrel Motors',
      data: { supplier: 'Kestrel Motors', euros },
    })),
  });
  await client.activityConfig.update({ activityServiceConfig: { immutable: true } });
}

/** Writes preferences, custom notifications, recordings and presence. */
export async function writeInboxes(demo: Demo): Promise<void> {
  const { client } = demo;
  await writePreferences(demo);
  await writeNotifications(demo);
  for (const { documentName, name, ...facts } of acts.recordings) {
    const documentRef = documentRefOf(documentCalled(documentName));
    const recordingId = `demo-${documentRef.documentId}`;
    const url = `https://media.meridian-instruments.example/${recordingId}.mp4`;
    const recording = { recordingId, url, from: authorOf(personCalled(name)), ...facts };
    requireOutcomes(await client.recordings.add({ ...documentRef, recordings: [recording] }));
  }
  // Presence lasts for a minute unless it is renewed.
  for (const { documentName, names } of acts.present) {
    const users = names.map((name, n) => ({
      ...authorOf(personCalled(name)),
      status: n === 1 ? ('away' as const) : ('online' as const),
    }));
    await client.presence.update({ ...documentRefOf(documentCalled(documentName)), users });
  }
}

/** Some people want only notifications that concern them, and some want no emails. */
async function writePreferences({ client }: Demo): Promise<void> {
  const { set } = client.notifications.config;
  for (const { organizationId } of ORGANIZATIONS) {
    const every = (step: number) =>
      peopleOf(organizationId)
        .filter((_person, n) => n % step === 0)
        .map(({ userId }) => userId);
    await set({ organizationId, userIds: every(3), config: { inbox: 'MINE' } });
    await set({ organizationId, userIds: every(4), config: { email: 'NONE' } });
  }
  const { documentId, ...documentRef } = documentRefOf(documentCalled('Press release'));
  const userIds = [personCalled('Clara Castell').userId];
  await set({ ...documentRef, userIds, documentIds: [documentId], config: { inbox: 'NONE' } });
}

async function writeNotifications({ client, as }: Demo): Promise<void> {
  for (const { documentName, name, act, text } of acts.notices) {
    const document = documentCalled(documentName);
    const colleagues = PEOPLE.filter((one) => one.organizationId === document.organizationId);
    requireOutcomes(
      await client.notifications.add({
        ...documentRefOf(document),
        notificationId: `demo-${document.documentId}`,
        actionUser: authorOf(personCalled(name)),
        notifyUsers: colleagues.map(({ userId }) => ({ userId })),
        displayHeadlineMessageTemplate: `{actionUser} ${act} {document}`,
        displayHeadlineMessageTemplateData: { document: documentName },
        displayBodyMessage: text,
      }),
    );
  }
  // Some people have read their newest notifications.
  for (const name of ['Tomasz Wieczorek', 'Marcus Bell', 'Amara Diallo', 'Elena Marchetti']) {
    const { userId, organizationId } = personCalled(name);
    const { data } = await client.notifications.get({ organizationId, userId, pageSize: 20 });
    const notificationIds = data.map(({ id }) => id);
    if (notificationIds.length === 0) continue;
    await as(userId).notifications.update({ organizationId, notificationIds });
  }
}
