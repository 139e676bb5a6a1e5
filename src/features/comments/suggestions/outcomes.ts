import type { PassageProblem } from '../../crdt/content/passages/find-passage.ts';
import type { SuggestionOutcome } from './schema.ts';

/** The outcome for each suggestion, by the id of its annotation. */
export type Outcomes = Record<string, SuggestionOutcome>;

/** Returns the outcome for a suggestion that cannot be added or decided as things are now. */
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
