import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long the rest of a body that nobody wants is read, so that its sender gets to the answer. */
const LINGER_MS = 30_000;
/** The rest of a smaller body is read without closing the connection after it. */
const SMALL_BODY = 64 * 1024;

/**
 * Answers a request before its body is there, in such a way that the answer arrives. A connection
 * that is closed while bytes wait in it is reset, and what its client has not read yet is lost: so
 * what still comes is read and thrown away, for 30 seconds and `maxBytes` at most.
 */
export function answerEarly(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
): void {
  if (raw.complete || raw.socket.destroyed) return;
  const length = headers['content-length'];
  const staysOpen = headers.expect === undefined && Number(length) <= SMALL_BODY;
  if (staysOpen) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  throwAway(raw, maxBytes);
}

function throwAway(request: IncomingMessage, maxBytes: number): void {
  const { socket } = request;
  const cutOff = () => socket.destroy();
  const tooLate = setTimeout(cutOff, LINGER_MS).unref();
  const over = () => {
    clearTimeout(tooLate);
    socket.off('close', over);
    Reflect.deleteProperty(socket, 'destroySoon');
  };
  let [left, isAnswered] = [maxBytes, false];
  // Node calls it when the answer is written and was the last one.
  socket.destroySoon = () => {
    isAnswered = true;
    socket.end();
  };
  request.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) cutOff();
  });
  request.once('end', () => {
    over();
    if (isAnswered) socket.destroySoon();
  });
  socket.once('close', over);
}
