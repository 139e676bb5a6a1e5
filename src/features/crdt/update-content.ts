import type { KeyContext } from '../../api/context.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import type { LiveChange } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { changeStored } from './change-stored.ts';
import { newBudget, TooMuchWork } from './content/work-budget.ts';
import { requireEditor } from './require-editor.ts';
import type { UpdateCrdtInput } from './schema.ts';
import { weighsAtMost, weightOf } from './value-weight.ts';
import { type Replacement, replace } from './worker/jobs.ts';
import { refuseMismatch, runJob } from './worker/run-job.ts';

/** Content that is larger, or that differs by more, is compared in a worker thread. */
const MAX_BYTES = 1024 * 1024;
const MAX_UNLIKE_UNITS = 128 * 1024;
/** The same for content that is not one text, in values: each takes some microseconds. */
const MAX_VALUES = 3_000;

/** Replaces the content by a minimal change, which every connected editor receives (4.8). */
export async function updateContent(ctx: KeyContext, input: UpdateCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId, ifVersion } = input;
  const name = { tenantId: ctx.tenantId, organizationId, documentId, editorId };
  const replacement = replacementOf(input);
  const openBytes = ctx.liveDocuments.bytesOf(name);
  // The weight of an open structure is counted when it is edited, whatever its history.
  const ignoresHistory = openBytes !== undefined && input.type !== 'text';
  // Neither needs the other's result. A caller without access gets that failure first.
  const [, bytes] = await pipeline([
    ctx.userId !== undefined && requireDocument(ctx, { organizationId, documentId }, 'editor'),
    openBytes ?? requireEditor(ctx, name),
  ]);
  const answer = ctx.db.answerElsewhere(undefined);
  const mayCommitElsewhere = answer !== undefined || !ctx.db.commitsLater;
  if (mayCommitElsewhere && isQuick(replacement, ignoresHistory ? 0 : bytes)) {
    const make: LiveChange['make'] = (doc, declared) => {
      const isText = input.type === 'text';
      if (!isText && !weighsAtMost(doc, MAX_VALUES)) throw new TooMuchWork();
      // Of several texts, the first are changed before the last is compared, so none may be refused.
      const budget = { ...newBudget(), ...(isText && { maxUnits: MAX_UNLIKE_UNITS }) };
      refuseMismatch(() => replace(doc, declared, replacement, budget));
    };
    try {
      // The live document commits the change together with the edits of others.
      return await ctx.liveDocuments.edit(name, { author: ctx.userId, ifVersion, answer, make });
    } catch (error) {
      // The document in memory was deleted, and another may have its name now.
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

const isMissing = (error: unknown) => error instanceof AppError && error.status === 'NOT_FOUND';

/** Whether new content may be compared within milliseconds with content of this stored size. */
function isQuick({ type, data }: Replacement, bytes: number): boolean {
  if (bytes > MAX_BYTES) return false;
  if (type === 'text') return String(data).length <= MAX_BYTES;
  const tags = type === 'xml' ? String(data).split('<').length : 0;
  return tags + weightOf(data) <= MAX_VALUES;
}

const replacementOf = (input: UpdateCrdtInput): Replacement => ({
  key: input.contentKey,
  type: input.type,
  data: input.data,
  marks: input.marks,
});
