import { CollaborationError } from '../../../client/error.ts';

/** The error for an item that was refused, although its call succeeded. */
export const refusal = (message = 'Refused without a reason.'): CollaborationError =>
  new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });

/** Throws if an item of a batch was refused, since the call for the batch succeeds even then. */
export function requireSuccess<Answer>(answer: Answer): Answer {
  for (const outcome of Object.values(Object(answer))) {
    const { success, message } = Object(outcome) as { success?: boolean; message?: string };
    if (success === false) throw refusal(message);
  }
  return answer;
}
