import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { changeStored } from './change-stored.ts';
import { requireEditorAccess } from './require-editor.ts';
import type { ReplaceRangeInput } from './schema.ts';
import { runJob } from './worker/run-job.ts';

/**
 * Replaces a quoted passage. Every connected editor receives the change. Of two concurrent calls, even in
 * two processes, the second searches the text that the first has stored, so that they never mix.
 *
 * @throws NOT_FOUND when the quote or its occurrence is not in the text, FAILED_PRECONDITION when there
 * are several matches, or the replacement has a wrong number of lines; `details` shows the present text
 */
export async function replaceRange(
  ctx: KeyContext,
  { organizationId, documentId, editorId, ...passage }: ReplaceRangeInput,
): Promise<{ version: number }> {
  const name = await requireEditorAccess(ctx, { organizationId, documentId, editorId }, 'editor');
  const { version, outcome: problem } = await changeStored(ctx, {
    name,
    make: (stored) => runJob(ctx.workerPool, { kind: 'replacePassage', stored, passage }),
  });
  if (problem) throw new AppError(problem.status, problem.message, { details: problem.details });
  return { version };
}
