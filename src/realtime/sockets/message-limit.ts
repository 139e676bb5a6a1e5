import type { WebSocket } from 'ws';

/** The largest message of a client: content of 10 MB, and the overhead of the protocol. */
export const MAX_PAYLOAD = 10 * 1024 * 1024 + 64 * 1024;
/**
 * The same before the client has shown a valid token. A message is kept in memory while it arrives, so
 * strangers could fill the memory with large ones that never end. Above this limit `ws` closes the
 * socket without our reason, so it is higher than `MAX_TOKEN_BYTES`.
 */
export const MAX_UNADMITTED_PAYLOAD = 512 * 1024;
/** The largest message with a token, and of any kind before a valid token: more than any token needs. */
export const MAX_TOKEN_BYTES = 256 * 1024;

/** A private property of `ws`, which has no API for a limit that changes. */
interface WithReceiver {
  _receiver: { _maxPayload: number };
}

/** Lets a client that has shown a valid token send large messages. */
export function allowLargeMessages(socket: WebSocket): void {
  (socket as unknown as WithReceiver)._receiver._maxPayload = MAX_PAYLOAD;
}
