import type { Doc } from 'yjs';
import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { changeContent } from './change-content.ts';
import type { PassageProblem } from './content/passages/find-passage.ts';
import type { ReplaceRangeInput } from './schema.ts';
import { replaceQuoted } from './worker/passage-jobs.ts';
import { refuseMismatch, runJob } from './worker/run-job.ts';

/** Passages of larger content are found in a worker thread. */
const MAX_LIVE_BYTES = 128 * 1024;

/**
 * Replaces a quoted passage, which every connected editor receives.
 *
 * @throws NOT_FOUND when the quote is not in the text, FAILED_PRECONDITION when it is there several
 * times or spans other blocks than the replacement, with `details.present`
 */
export async function replaceRange(
  ctx: KeyContext,
  { organizationId, documentId, editorId, ...passage }: ReplaceRangeInput,
): Promise<{ version: number }> {
  let problem: PassageProblem | undefined;
  const made = new WeakSet<Doc>();
  const version = await changeContent(ctx, {
    name: { tenantId: ctx.tenantId, organizationId, documentId, editorId },
    isQuick: (bytes) => bytes <= MAX_LIVE_BYTES,
    makeLive: (doc, declared) => {
      // The change stays made when it is committed on top of what another process stored.
      if (made.has(doc)) return;
      problem = refuseMismatch(() => replaceQuoted(doc, declared, passage));
      if (!problem) made.add(doc);
    },
    make: async (stored) => {
      const job = { kind: 'replacePassage' as const, stored, passage };
      const { problem: found, ...change } = await runJob(ctx.workerPool, job);
      problem = found;
      return change;
    },
  });
  if (problem) throw new AppError(problem.status, problem.message, { details: problem.details });
  return { version };
}
