import type { PassageProblem } from '../../crdt/content/passages/find-passage.ts';
import type { SuggestionOutcome } from './schema.ts';

/** An outcome for each suggestion, by its annotation. */
export type Outcomes = Record<string, SuggestionOutcome>;

/** The outcome of a suggestion that the present state does not allow. */
export const failedPrecondition = (
  annotationId: string,
  { message, details }: Partial<PassageProblem> = {},
): SuggestionOutcome => ({
  success: false,
  annotationId,
  message: message ?? 'The annotation has no suggestion for this editor.',
  status: 'FAILED_PRECONDITION',
  ...(details && { details }),
});
