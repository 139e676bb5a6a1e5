import { CollaborationError } from '../../../client/error.ts';

/** The failure of an item in a call that succeeded. */
export const refusal = (message = 'There was no answer.'): CollaborationError =>
  new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });

/** Throws if a batch refused one of its items: the batch itself succeeds. */
export function requireSuccess<Answer>(answer: Answer): Answer {
  for (const outcome of Object.values(Object(answer))) {
    const { success, message } = Object(outcome) as { success?: boolean; message?: string };
    if (success === false) throw refusal(message);
  }
  return answer;
}
