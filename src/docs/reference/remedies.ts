import type { Status } from '../../platform/errors.ts';

/** Tells callers what they can do about a failure, by its status. */
export const REMEDIES: Record<Status, string> = {
  INVALID_ARGUMENT:
    'Change the request: `details.issues` lists every field that is wrong, with its path. HTTP 405, 413 and 415 say that the method, the size or the content type is wrong.',
  FAILED_PRECONDITION:
    'The input is valid, but a setting or the state of a resource does not allow the call. Change the setting or resource that the message names, then call again.',
  OUT_OF_RANGE:
    'Some events after the cursor are no longer stored. Read the current state, and begin without a cursor.',
  UNAUTHENTICATED:
    'No operation returns this status: missing and wrong credentials are both `PERMISSION_DENIED`.',
  PERMISSION_DENIED:
    'Check the headers that the page of the operation names. `details.reason` says why credentials were refused: `TOKEN_EXPIRED`, `TOKEN_REVOKED`, `TOKEN_INVALID` or `API_KEY_DISABLED`. Users without the needed role get this status, too.',
  NOT_FOUND:
    'Check the path and the ids. Resources of another API key are reported as if they did not exist.',
  ALREADY_EXISTS: 'Use the operation that updates the resource, or use another id.',
  ABORTED: 'Call again: another change was made at the same time.',
  RESOURCE_EXHAUSTED:
    'Wait for the seconds in `Retry-After`, then call again. `details.limit` or `details.quota` names the limit.',
  INTERNAL:
    'Report the failure with its `details.requestId`, by which the cause can be found in the log. It is not known whether a write took effect; with an `Idempotency-Key`, it is safe to call again.',
  UNAVAILABLE: 'Call again after a moment, with growing pauses.',
  DEADLINE_EXCEEDED:
    'Call again. A write may have taken effect; with an `Idempotency-Key`, it takes effect only once.',
};
