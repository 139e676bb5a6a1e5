import { STATUSES, type Status } from '../platform/errors.ts';

/**
 * Ends a connection to a document. Hocuspocus sends `reason` to the client, and writes every error
 * with a message to the console; this one has none.
 */
export class Refusal extends Error {
  readonly reason: Status;
  readonly code: number;

  constructor(status: Status) {
    super('');
    this.reason = status;
    this.code = STATUSES[status].webSocketClose;
  }
}

/** How a connection is closed for a reason of ours. */
export const closing = (status: Status) => ({
  code: STATUSES[status].webSocketClose,
  reason: status,
});
