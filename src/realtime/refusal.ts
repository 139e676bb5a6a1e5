import type { WebSocket } from 'ws';
import {
  type AppError,
  type CredentialsReason,
  STATUSES,
  type Status,
} from '../platform/errors.ts';

/** The refusal of a connection to a document. The client receives the reason. */
export class Refusal extends Error {
  readonly reason: CloseReason;
  readonly code: number;

  constructor({ code, reason }: CloseEvent) {
    super('');
    this.reason = reason;
    this.code = code;
  }
}

/** The reason that clients read: why credentials were refused, or else the status. */
export type CloseReason = Status | CredentialsReason;

export interface CloseEvent {
  code: number;
  reason: CloseReason;
}

/** Returns the code and the reason with which a connection is closed for a status. */
export const closeEventFor = (status: Status, reason: CloseReason = status): CloseEvent => ({
  code: STATUSES[status].webSocketClose,
  reason,
});

/** Returns the code and the reason with which a connection is closed after a failure. */
export const closeEventOfFailure = ({ status, credentialsReason }: AppError): CloseEvent =>
  closeEventFor(status, credentialsReason);

/** How long a client has to read the close reason before it is disconnected. */
const CLOSE_GRACE_MS = 1_000;

/** The event that a socket emits, with a `CloseReason`, when it or a connection over it is refused. */
export const REFUSED = 'refused';

/** Closes a whole socket, with all its documents. */
export function refuseSocket(socket: WebSocket, status: Status): void {
  const { code, reason } = closeEventFor(status);
  socket.emit(REFUSED, reason);
  socket.close(code, reason);
  // A client that does not read is cut off. Its pending data would otherwise stay in memory.
  setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
}
