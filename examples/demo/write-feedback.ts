import { documentRefOf } from './company.ts';
import { type Demo, forEachConcurrently, inBatches, requireOutcomes } from './demo.ts';
import { FIRST_COMMENT, makeThreads, type Thread } from './make-threads.ts';

/** How many annotations a call adds, few enough for a response within milliseconds. */
const BATCH_SIZE = 50;
/** The most ids that an update takes. */
const MAX_IDS = 30;

/** Writes annotations, and then everything that people do with them. Decisions are made with the token of their user. */
export async function writeFeedback(demo: Demo): Promise<void> {
  const threads = makeThreads(demo.annotations);
  const byDocument = [...Map.groupBy(threads, ({ document }) => document).values()];
  await forEachConcurrently(
    byDocument.flatMap((ofDocument) => inBatches(ofDocument, BATCH_SIZE)),
    (batch) => writeAnnotations(demo, batch),
  );
  await forEachConcurrently(
    threads.filter(({ replies }) => replies.length > 0),
    (thread) => writeReplies(demo, thread),
  );
  await forEachConcurrently(threads, (thread) => writeReactions(demo, thread));
  await forEachConcurrently(
    [...Map.groupBy(threads, decisionKey).values()].flatMap((same) => inBatches(same, MAX_IDS)),
    (sameDecision) => writeDecisions(demo, sameDecision),
  );
  await forEachConcurrently(
    threads.filter(({ readers }) => readers.length > 0),
    (thread) => writeReads(demo, thread),
  );
}

async function writeAnnotations({ client }: Demo, batch: Thread[]): Promise<void> {
  const [first] = batch;
  if (!first) return;
  const commentAnnotations = batch.map(({ annotation }) => annotation);
  const documentRef = documentRefOf(first.document);
  requireOutcomes(await client.commentAnnotations.add({ ...documentRef, commentAnnotations }));
}

async function writeReplies(demo: Demo, { document, annotationId, replies }: Thread) {
  const { client, isContinued } = demo;
  const thread = { ...documentRefOf(document), annotationId };
  if (isContinued && (await client.comments.get(thread)).length > 1) return;
  await client.comments.add({ ...thread, commentData: replies });
}

async function writeReactions({ client }: Demo, { document, annotationId, reactions }: Thread) {
  const comment = { ...documentRefOf(document), annotationId, commentId: FIRST_COMMENT };
  for (const reaction of reactions) {
    requireOutcomes(await client.reactions.add({ ...comment, ...reaction }));
  }
}

const decisionKey = ({ document, decider, outcome, annotation, annotationId }: Thread): string => {
  // The decision about a suggestion contains its text, so it needs a call of its own.
  const single = annotation.type === 'suggestion' ? annotationId : '';
  return JSON.stringify([document.documentId, decider.userId, outcome, single]);
};

const STATUSES = {
  'in progress': { id: 'IN_PROGRESS' },
  resolved: { id: 'RESOLVED' },
  approved: { id: 'APPROVED', name: 'Approved', type: 'terminal', color: '#0DCF82' },
  rejected: { id: 'REJECTED', name: 'Rejected', type: 'terminal', color: '#E5484D' },
} as const;

async function writeDecisions(demo: Demo, threads: Thread[]): Promise<void> {
  const [first] = threads;
  if (!first || first.outcome === 'open') return;
  const { document, decider, outcome, annotation } = first;
  const status = STATUSES[outcome];
  const verdict = outcome === 'approved' ? 'accepted' : 'rejected';
  const suggestion = annotation.suggestion && { ...annotation.suggestion, status: verdict };
  const annotationIds = threads
    // The decider may not see private annotations, so nobody decides about them.
    .filter(({ annotation: { visibility } }) => visibility?.type !== 'restricted')
    .map(({ annotationId }) => annotationId);
  if (annotationIds.length === 0) return;
  requireOutcomes(
    await demo.as(decider.userId).commentAnnotations.update({
      ...documentRefOf(document),
      annotationIds,
      updatedData: { status, ...(suggestion && { suggestion }) },
      triggerNotification: true,
    }),
  );
}

async function writeReads({ client }: Demo, { document, annotationId, readers }: Thread) {
  for (const userId of readers) {
    await client.commentAnnotations.read({ ...documentRefOf(document), annotationId, userId });
  }
}
