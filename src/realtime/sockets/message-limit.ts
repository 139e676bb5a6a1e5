import type { WebSocket } from 'ws';

/** The largest message of a client: content of 10 MB, and the overhead of the protocol. */
export const MAX_PAYLOAD = 10 * 1024 * 1024 + 64 * 1024;
/**
 * The largest message before the client has shown a valid token. A message is kept in memory while it
 * arrives, so strangers could fill the memory with large messages that never end. Above this limit, `ws`
 * closes the socket without a reason that our clients know.
 */
export const MAX_UNADMITTED_PAYLOAD = 512 * 1024;
/**
 * A longer message closes the socket with a reason, if the message carries a token, or the client has not
 * shown a valid token yet. No valid token is this long.
 */
export const MAX_TOKEN_BYTES = 256 * 1024;

/** A private property of `ws`, which has no API to change the limit of an open socket. */
interface WithReceiver {
  _receiver: { _maxPayload: number };
}

/** Lets a client that has shown a valid token send large messages. */
export function allowLargeMessages(socket: WebSocket): void {
  (socket as unknown as WithReceiver)._receiver._maxPayload = MAX_PAYLOAD;
}
