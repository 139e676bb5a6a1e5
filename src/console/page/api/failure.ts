import { CollaborationError, toCollaborationError } from '../../../client/error.ts';

/** A failed call as the page shows it: the API's message, and the id that names it in logs. */
export const failureOf = (error: unknown): CollaborationError => toCollaborationError(error);

/** The refusal of what a call was for, which itself succeeded. */
export const refusal = (message = 'There was no answer.'): CollaborationError =>
  new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });

/** Batches answer an outcome for each item. The page sends one item, and fails with it. */
export function requireDone<Answer>(answer: Answer): Answer {
  for (const outcome of Object.values(Object(answer))) {
    const { success, message } = Object(outcome) as { success?: boolean; message?: string };
    if (success === false) throw refusal(message);
  }
  return answer;
}
