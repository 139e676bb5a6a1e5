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

  constructor({ code, reason }: Closing) {
    super('');
    this.reason = reason;
    this.code = code;
  }
}

/** The reason that clients read: why credentials were refused, or else the status. */
export type CloseReason = Status | CredentialsReason;

export interface Closing {
  code: number;
  reason: CloseReason;
}

/** How a connection is closed for a reason that this server names. */
export const closing = (status: Status, reason: CloseReason = status): Closing => ({
  code: STATUSES[status].webSocketClose,
  reason,
});

/** How a connection is closed for a failure that may have a more precise reason. */
export const closingFor = ({ status, credentialsReason }: AppError): Closing =>
  closing(status, credentialsReason);

/** How long a client has to read the close reason before it is disconnected. */
const CLOSE_GRACE_MS = 1_000;

/** The event of a socket on which something was refused, with its `CloseReason`. */
export const REFUSED = 'refused';

/** Closes a whole socket, with all its documents. */
export function refuseSocket(socket: WebSocket, status: Status): void {
  const { code, reason } = closing(status);
  socket.emit(REFUSED, reason);
  socket.close(code, reason);
  // A client that does not read would keep its pending data in memory for ever.
  setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
}
