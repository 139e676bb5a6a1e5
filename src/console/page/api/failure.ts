import { CollaborationError, toCollaborationError } from '../../../client/error.ts';

/** A failed call as the page shows it: the API's message, and the id that names it in logs. */
export const failureOf = (error: unknown): CollaborationError => toCollaborationError(error);

/** Whether the session has ended. */
export const isSignedOut = (error: unknown): boolean =>
  failureOf(error).status === 'UNAUTHENTICATED';

/** The refusal of one item of a batch, whose call itself succeeded. */
export const refusal = (message = 'There was no answer.'): CollaborationError =>
  new CollaborationError({ message, status: 'FAILED_PRECONDITION', httpStatus: 200 });
