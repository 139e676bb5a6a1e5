import type { Connection } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import {
  type AppError,
  type CredentialsReason,
  STATUSES,
  type Status,
} from '../platform/errors.ts';

/**
 * Ends a connection to a document. Hocuspocus sends `reason` to the client. This error has no message,
 * since Hocuspocus would write it to the console.
 */
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

type Closable = Pick<WebSocket, 'close'>;

/**
 * Ends a connection to a document. Clients take this as final, and reconnect only when their socket is
 * closed, so the whole socket is closed where reconnecting may help.
 */
export function end(connection: Connection<{ socket?: Closable }>, status: Status): void {
  const { code, reason } = closing(status);
  if (status === 'UNAVAILABLE') connection.context.socket?.close(code, reason);
  connection.close({ code, reason });
}

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
