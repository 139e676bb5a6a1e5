import { CollaborationError } from '../../../../client/error.ts';
import type { Outcomes } from '../../../../client/index.ts';

/** Batches tell of each entry whether it was done. The page sends one, and fails with it. */
export function requireDone(
  outcomes: Record<string, Pick<Outcomes[string], 'success' | 'message'>>,
) {
  for (const { success, message } of Object.values(outcomes)) {
    if (!success)
      throw new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });
  }
}
