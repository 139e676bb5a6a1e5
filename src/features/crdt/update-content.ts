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

/** Content of more bytes, or with more UTF-16 units that differ, is compared in a worker thread. */
const MAX_BYTES = 1024 * 1024;
const MAX_DIFFERING_UNITS = 128 * 1024;
/** The limit for maps, arrays and XML, in values, each of which takes some microseconds. */
const MAX_VALUES = 3_000;

/** Replaces the content by a minimal change, which every connected editor receives (specification 4.8). */
export async function updateContent(ctx: KeyContext, input: UpdateCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId, ifVersion } = input;
  const { contentKey: key, type, data, marks } = input;
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const replacement: Replacement = { key, type, data, marks };
  // Undefined when the document is not open in this process.
  const openBytes = ctx.liveDocuments.storedSizeOf(name);
  // Neither check needs the result of the other. If both fail, the caller learns of the missing access.
  const [, bytesWithHistory] = await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, { organizationId, documentId }, 'editor'),
    openBytes ?? requireStoredSize(ctx, name),
  ]);
  // The stored size includes the history, so it overestimates an open map, array or XML. `replaceQuickly`
  // measures those.
  const isMeasuredLater = openBytes !== undefined && type !== 'text';
  const bytes = isMeasuredLater ? 0 : bytesWithHistory;
  // A live document commits in a transaction of its own. If the response must be committed with the
  // change, that transaction has to store the response, too.
  const answer = ctx.db.delegateAnswer();
  const liveDocumentMayCommit = answer !== undefined || !ctx.db.commitsLater;
  // The live document may contain edits that another process has not stored. The version does not count
  // them, so a replacement for a version would delete them unseen.
  const isForAnyVersion = ifVersion === undefined;
  if (isForAnyVersion && liveDocumentMayCommit && isQuick(replacement, bytes)) {
    const make: LiveChange['make'] = (doc, declared) => replaceQuickly(doc, declared, replacement);
    try {
      // The live document commits the change together with the edits of others.
      return await ctx.liveDocuments.edit(name, { author: ctx.userId, answer, make });
    } catch (error) {
      // The document in memory was deleted. The name may belong to a new one by now.
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

/** @throws {TooMuchWork} before anything is changed, when the comparison would block this thread. */
function replaceQuickly(doc: Doc, declared: DeclaredContent, replacement: Replacement): void {
  const isText = replacement.type === 'text';
  if (!isText && !weighsAtMost(doc, MAX_VALUES)) throw new TooMuchWork();
  const budget = newBudget();
  // Maps, arrays and XML hold several texts. Some would be changed before another exceeds this limit.
  if (isText) budget.maxDifferingUnits = MAX_DIFFERING_UNITS;
  translateMismatch(() => replaceEditorContent(doc, declared, replacement, budget));
}

const isMissing = (error: unknown) => error instanceof AppError && error.status === 'NOT_FOUND';

/** Whether new content may be compared within milliseconds with content of this stored size. */
function isQuick({ type, data }: Replacement, bytes: number): boolean {
  if (bytes > MAX_BYTES) return false;
  if (type === 'text') return String(data).length <= MAX_BYTES;
  const tags = type === 'xml' ? String(data).split('<').length : 0;
  return tags + weightOf(data) <= MAX_VALUES;
}
