import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long the rest of a refused body is read, so that its client can receive the response. */
const DRAIN_MS = 30_000;
/** A body smaller than this is read to its end, and its connection stays open. */
const SMALL_BODY = 64 * 1024;

/**
 * Responds before the body has arrived. Closing a connection with unread bytes resets it, and the
 * client would lose the response. So the rest of the body is read and discarded, for 30 seconds and
 * up to `maxBytes`.
 */
export function respondEarly(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
): void {
  if (raw.complete || raw.socket.destroyed) return;
  const length = headers['content-length'];
  const staysOpen = headers.expect === undefined && Number(length) <= SMALL_BODY;
  if (staysOpen) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  discardBody(raw, maxBytes);
}

function discardBody(request: IncomingMessage, maxBytes: number): void {
  const { socket } = request;
  const disconnect = () => socket.destroy();
  const timeout = setTimeout(disconnect, DRAIN_MS).unref();
  const cleanUp = () => {
    clearTimeout(timeout);
    socket.off('close', cleanUp);
    // Uncovers the method of Node.
    Reflect.deleteProperty(socket, 'destroySoon');
  };
  let remainingBytes = maxBytes;
  let isAnswered = false;
  // Node calls this after the last response, and would close the connection before the body is read.
  // Here it ends only the sending side until then.
  socket.destroySoon = () => {
    isAnswered = true;
    socket.end();
  };
  request.on('data', ({ length }: Buffer) => {
    remainingBytes -= length;
    if (remainingBytes < 0) disconnect();
  });
  request.once('end', () => {
    cleanUp();
    if (isAnswered) socket.destroySoon();
  });
  socket.once('close', cleanUp);
}
