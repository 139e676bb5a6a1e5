import type { KeyContext } from '../../api/context.ts';
import { changeContent } from './change-content.ts';
import { newBudget } from './content/work-budget.ts';
import type { UpdateCrdtInput } from './schema.ts';
import { type Replacement, replace } from './worker/jobs.ts';
import { refuseMismatch, runJob, sizeOf } from './worker/run-job.ts';

/** Larger texts are compared in a worker thread, and so is what differs by more than this. */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_UNLIKE_UNITS = 128 * 1024;
/** The same for other content, whose every node takes time. */
const MAX_STRUCTURE_BYTES = 24 * 1024;

/** Replaces the content by a minimal change, which every connected editor receives (4.8). */
export async function updateContent(ctx: KeyContext, input: UpdateCrdtInput): Promise<void> {
  const { organizationId, documentId, editorId, ifVersion } = input;
  const replacement = replacementOf(input);
  await changeContent(ctx, {
    name: { tenantId: ctx.tenantId, organizationId, documentId, editorId },
    ifVersion,
    isQuick: (bytes) => isQuick(replacement, bytes),
    makeLive: (doc, declared) => {
      const budget = { ...newBudget(), maxUnits: MAX_UNLIKE_UNITS };
      refuseMismatch(() => replace(doc, declared, replacement, budget));
    },
    make: (stored) => runJob(ctx.workerPool, { kind: 'replace', stored, replacement }),
  });
}

/** Whether new content is compared within milliseconds with content of this stored size. */
function isQuick({ type, data }: Replacement, bytes: number): boolean {
  if (type === 'text') return bytes <= MAX_TEXT_BYTES && String(data).length <= MAX_TEXT_BYTES;
  // The stored size is checked first, since measuring large new content takes time itself.
  return bytes <= MAX_STRUCTURE_BYTES && bytes + sizeOf(data) <= MAX_STRUCTURE_BYTES;
}

const replacementOf = (input: UpdateCrdtInput): Replacement => ({
  key: input.contentKey,
  type: input.type,
  data: input.data,
  marks: input.marks,
});
