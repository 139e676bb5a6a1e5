import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long the rest of a refused body is read, so that its client can receive the response. */
const DRAIN_MS = 30_000;
/** A body smaller than this is read to its end, and its connection stays open. */
const SMALL_BODY = 64 * 1024;

/**
 * Prepares a response that is sent before the whole body has arrived. Closing a connection with unread
 * bytes would reset it, and the client would lose the response. So the rest of the body is read and
 * discarded, for 30 seconds and up to `maxBytes`.
 */
export function discardBody(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
): void {
  if (raw.complete || raw.socket.destroyed) return;
  const length = headers['content-length'];
  const staysOpen = headers.expect === undefined && Number(length) <= SMALL_BODY;
  if (staysOpen) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  readToEnd(raw, maxBytes);
}

function readToEnd(request: IncomingMessage, maxBytes: number): void {
  const { socket } = request;
  const disconnect = () => socket.destroy();
  const timeout = setTimeout(disconnect, DRAIN_MS).unref();
  const cleanUp = () => {
    clearTimeout(timeout);
    socket.off('close', cleanUp);
    // From now on, the socket has Node's own method again.
    Reflect.deleteProperty(socket, 'destroySoon');
  };
  let remainingBytes = maxBytes;
  let hasResponded = false;
  // Node calls `destroySoon` after the last response. Its own method would close the connection, and the rest
  // of the body would reset it. This one closes only the sending side until the body is read.
  socket.destroySoon = () => {
    hasResponded = true;
    socket.end();
  };
  request.on('data', ({ length }: Buffer) => {
    remainingBytes -= length;
    if (remainingBytes < 0) disconnect();
  });
  request.once('end', () => {
    cleanUp();
    if (hasResponded) socket.destroySoon();
  });
  socket.once('close', cleanUp);
}
