import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { changeStored } from './change-stored.ts';
import { editorFor } from './require-editor.ts';
import type { ReplaceRangeInput } from './schema.ts';
import { runJob } from './worker/run-job.ts';

/**
 * Replaces a quoted passage, which every connected editor receives. Of two calls at the same moment, also
 * in two processes, the second searches what the first left, so that they never mix.
 *
 * @throws NOT_FOUND when the quote is not in the text, FAILED_PRECONDITION when it is there several
 * times or spans other blocks than the replacement; `details` shows what is there
 */
export async function replaceRange(
  ctx: KeyContext,
  { organizationId, documentId, editorId, ...passage }: ReplaceRangeInput,
): Promise<{ version: number }> {
  const name = await editorFor(ctx, { organizationId, documentId, editorId }, 'editor');
  const { version, outcome: problem } = await changeStored(ctx, {
    name,
    make: (stored) => runJob(ctx.workerPool, { kind: 'replacePassage', stored, passage }),
  });
  if (problem) throw new AppError(problem.status, problem.message, { details: problem.details });
  return { version };
}
