import type { NewCommentAnnotation } from '../../api/contract.ts';
import { convertAnnotation, type Subscriptions, subscriptionsOf } from './convert-annotation.ts';
import { chunksOf, rowOf, textOf } from './hosted-rows.ts';
import { isRow, MAX_IDS, type Row } from './hosted-service.ts';
import {
  type DocumentRef,
  forEachConcurrently,
  type ImportContext,
  type OrganizationImport,
} from './import-context.ts';
import { moveFile } from './move-files.ts';

/** How many threads one call adds. They are few, since a thread may have a thousand comments. */
const THREADS_PER_CALL = 100;

type Thread = NewCommentAnnotation & { annotationId: string };

/** Imports the threads of documents, with their comments, reactions, files and subscriptions. */
export async function importAnnotations(
  ctx: OrganizationImport,
  documentIds: string[],
): Promise<void> {
  const { from, writer, organizationId } = ctx;
  const onMissing = (documentId: string) =>
    writer.addRefusal('annotations', documentId, 'The hosted service cannot read the document.');
  await forEachConcurrently(chunksOf(documentIds, MAX_IDS), async (ids) => {
    const query = { organizationId, documentIds: ids, order: 'asc' };
    const pages = from.pagesOfDocuments('/v2/commentannotations/get', query, onMissing);
    for await (const rows of pages) {
      const byDocument = Map.groupBy(rows, (row) => textOf(rowOf(row.metadata)?.documentId));
      for (const [documentId = ids[0], documentRows] of byDocument) {
        if (documentId === undefined) continue;
        const documentRef = { organizationId, documentId };
        for (const part of chunksOf(documentRows, THREADS_PER_CALL))
          await importThreads(ctx, documentRef, part);
      }
    }
  });
}

async function importThreads(
  ctx: ImportContext,
  documentRef: DocumentRef,
  rows: Row[],
): Promise<void> {
  const { to, writer } = ctx;
  const subscriptions = new Map(rows.map((row) => [row.annotationId, subscriptionsOf(row)]));
  const toThread = (row: Row): Thread | undefined => {
    const thread = convertAnnotation(row, writer);
    return thread?.annotationId === undefined ? undefined : (thread as Thread);
  };
  const reason = 'It has no id or no author.';
  const threads = writer.convert('annotations', rows, toThread, reason);
  await moveFiles(ctx, documentRef, threads);
  const added = await writer.send('annotations', threads, 'annotationId', (commentAnnotations) =>
    to.commentAnnotations.add({ ...documentRef, commentAnnotations }),
  );
  countContents(ctx, 'found', threads);
  countContents(ctx, 'imported', added);
  // Existing threads are included, since an earlier run may have been stopped just after it had added them.
  for (const { annotationId } of threads) {
    await subscribe(ctx, { ...documentRef, annotationId }, subscriptions.get(annotationId));
  }
}

/** Counts the comments and reactions in threads. */
function countContents({ writer }: ImportContext, field: 'found' | 'imported', threads: Thread[]) {
  for (const { commentData, reactions = [] } of threads) {
    writer.count('comments', field, commentData.length);
    if (reactions.length > 0) writer.count('reactions', field, reactions.length);
  }
}

/** Moves the files of the threads that are new to this server, and puts the new file ids into the comments. */
async function moveFiles(
  ctx: ImportContext,
  documentRef: DocumentRef,
  threads: Thread[],
): Promise<void> {
  const withFiles = threads.filter(({ commentData }) =>
    commentData.some(({ attachments = [] }) => attachments.some(hasFile)),
  );
  for (const part of chunksOf(withFiles, MAX_IDS)) {
    const newThreads = await ctx.writer.selectNew(part, 'annotationId', async (annotationIds) => {
      const { data } = await ctx.to.commentAnnotations.get({ ...documentRef, annotationIds });
      return data.map((annotation) => annotation?.annotationId);
    });
    for (const comment of newThreads.flatMap(({ commentData }) => commentData)) {
      const { attachments = [], from } = comment;
      const moved = attachments.map((file) => moveAttachment(ctx, documentRef, file, from?.userId));
      if (moved.length > 0) comment.attachments = await Promise.all(moved);
    }
  }
}

const hasFile = (file: unknown): boolean => isRow(file) && textOf(file.url) !== undefined;

async function moveAttachment(
  ctx: ImportContext,
  documentRef: DocumentRef,
  file: unknown,
  userId?: string,
) {
  if (!isRow(file) || !hasFile(file)) return file;
  const attachmentId = await moveFile(ctx, documentRef, file, userId);
  if (attachmentId === undefined) return file;
  const { url, ...facts } = file;
  return { ...facts, attachmentId };
}

async function subscribe(
  { to, writer }: ImportContext,
  thread: DocumentRef & { annotationId: string },
  subscriptions: Subscriptions | undefined,
): Promise<void> {
  for (const change of ['subscribe', 'unsubscribe'] as const) {
    for (const userId of subscriptions?.[change] ?? []) {
      const subscription = { ...thread, userId };
      await writer.sendNew('subscriptions', [subscription], 'userId', {
        read: async () => ((await hasChosen(to, subscription, change)) ? [userId] : []),
        add: () => to.commentAnnotations[change](subscription),
      });
    }
  }
}

/**
 * Whether a user has subscribed or unsubscribed on this server, so that the change is not imported. This server also
 * subscribes authors and mentioned users by itself, which does not keep an unsubscription from being imported.
 */
async function hasChosen(
  to: ImportContext['to'],
  { userId, annotationId, ...documentRef }: DocumentRef & { annotationId: string; userId: string },
  change: 'subscribe' | 'unsubscribe',
): Promise<boolean> {
  const query = { ...documentRef, annotationIds: [annotationId] };
  const [thread] = (await to.commentAnnotations.get(query)).data;
  const found = thread?.subscribedUsers[userId] ?? thread?.unsubscribedUsers[userId];
  return found !== undefined && (change === 'subscribe' || found.type === 'manual');
}
