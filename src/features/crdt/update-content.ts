import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import type { DeclaredContent, LiveChange } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { changeStored } from './change-stored.ts';
import { newBudget, TooMuchWork } from './content/diff/work-budget.ts';
import { type Replacement, replaceEditorContent } from './editor-content.ts';
import { requireStoredSize } from './require-editor.ts';
import type { UpdateCrdtInput } from './schema.ts';
import { weighsAtMost, weightOf } from './value-weight.ts';
import { runJob, translateMismatch } from './worker/run-job.ts';

/** Content of more bytes is compared in a worker thread. */
const MAX_BYTES = 1024 * 1024;
/** Texts that differ in more UTF-16 units are compared in a worker thread. */
const MAX_DIFFERING_UNITS = 128 * 1024;
/** Maps, arrays and XML of more values are compared in a worker thread. One value takes some microseconds. */
const MAX_VALUES = 3_000;

/** Replaces the content. Connected editors receive only what differs (specification 4.8). */
export async function updateContent(ctx: KeyContext, input: UpdateCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId, ifVersion } = input;
  const { contentKey: key, type, data, marks } = input;
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const replacement: Replacement = { key, type, data, marks };
  // Undefined when the document is not open in this process.
  const openBytes = ctx.liveDocuments.storedSizeOf(name);
  // Neither check needs the result of the other. If both fail, the error is that of the missing access.
  const [, bytesWithHistory] = await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, { organizationId, documentId }, 'editor'),
    openBytes ?? requireStoredSize(ctx, name),
  ]);
  // The stored size of an open map, array or XML is not checked here, because it includes the history.
  // `replaceQuickly` measures the content itself.
  const isMeasuredLater = openBytes !== undefined && type !== 'text';
  const isStoredSmall = isMeasuredLater || bytesWithHistory <= MAX_BYTES;
  // A live document commits in a transaction of its own. If the response must be committed with the
  // change, `response` stores it there; it is undefined if that is impossible or not needed.
  const response = ctx.db.delegateResponse();
  const liveDocumentMayCommit = response !== undefined || !ctx.db.commitsLater;
  // The live document may contain edits that another process has not stored. No version includes them, so
  // a call with `ifVersion` would succeed although it deletes them.
  const isForAnyVersion = ifVersion === undefined;
  if (isForAnyVersion && liveDocumentMayCommit && isStoredSmall && isSmall(replacement)) {
    const make: LiveChange['make'] = (doc, declared) => replaceQuickly(doc, declared, replacement);
    try {
      // The live document commits the change together with the edits of others.
      return await ctx.liveDocuments.edit(name, { author: ctx.userId, response, make });
    } catch (error) {
      // The document in memory was deleted. A new one may already have its name, so the call starts again.
      if (openBytes !== undefined && isMissing(error)) return updateContent(ctx, input);
      if (!(error instanceof TooMuchWork)) throw error;
    }
  }
  await changeStored(ctx, {
    name,
    ifVersion,
    make: (stored) => runJob(ctx.workerPool, { kind: 'replace', stored, replacement }),
  });
}

/**
 * Replaces the content in this thread.
 *
 * @throws {TooMuchWork} before anything is changed, when the comparison would block the thread
 */
function replaceQuickly(doc: Doc, declared: DeclaredContent, replacement: Replacement): void {
  const isText = replacement.type === 'text';
  if (!isText && !weighsAtMost(doc, MAX_VALUES)) throw new TooMuchWork();
  const budget = newBudget();
  // Not for maps, arrays and XML: some of their texts would be changed before another exceeds the limit.
  if (isText) budget.maxDifferingUnits = MAX_DIFFERING_UNITS;
  translateMismatch(() => replaceEditorContent(doc, declared, replacement, budget));
}

const isMissing = (error: unknown) => error instanceof AppError && error.status === 'NOT_FOUND';

/** Whether new content is so small that it can be compared within milliseconds. */
function isSmall({ type, data }: Replacement): boolean {
  if (type === 'text') return String(data).length <= MAX_BYTES;
  const tags = type === 'xml' ? String(data).split('<').length : 0;
  return tags + weightOf(data) <= MAX_VALUES;
}
