import type { Connection } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import {
  type AppError,
  type CredentialsReason,
  STATUSES,
  type Status,
} from '../../platform/errors.ts';

/**
 * Ends a connection to a document. Hocuspocus sends `reason` to the client, and writes every error
 * with a message to the console; this one has none.
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

/** What clients read: why credentials are refused, for all else the status. */
export type CloseReason = Status | CredentialsReason;

export interface Closing {
  code: number;
  reason: CloseReason;
}

/** How a connection is closed for a reason of ours. */
export const closing = (status: Status, reason: CloseReason = status): Closing => ({
  code: STATUSES[status].webSocketClose,
  reason,
});

/** How it is closed for a failure that says more than its status. */
export const closingFor = ({ status, credentialsReason }: AppError): Closing =>
  closing(status, credentialsReason);

/**
 * Ends a connection to a document. A client takes that for final, and comes back by itself only when
 * its socket is closed: so all of that is, where coming back helps.
 */
export function end(connection: Connection, status: Status): void {
  const { code, reason } = closing(status);
  if (status === 'UNAVAILABLE') connection.webSocket.close(code, reason);
  connection.close({ code, reason });
}

/** How long a client has to read why, before it is cut off. */
const FAREWELL_MS = 1_000;

/** Closes a whole socket, with all its documents. */
export function refuseSocket(socket: WebSocket, status: Status): void {
  const { code, reason } = closing(status);
  socket.close(code, reason);
  // Who does not read would never see it, and would keep what waits to be sent in memory.
  setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
}
