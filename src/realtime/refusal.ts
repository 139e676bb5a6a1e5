import type { WebSocket } from 'ws';
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

/** How long a client has to read why, before it is cut off. */
const FAREWELL_MS = 1_000;

/** Closes a whole socket, with all its documents. */
export function refuseSocket(socket: WebSocket, status: Status): void {
  const { code, reason } = closing(status);
  socket.close(code, reason);
  // Who does not read would never see it, and would keep what waits to be sent in memory.
  setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
}
