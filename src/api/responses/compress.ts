import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Shorter texts are sent as they are. They arrive in one round trip either way, since TCP sends ten
 * packets at once, and compressing any of them takes as much time as a short request.
 */
const MIN_LENGTH = 16 * 1024;
/** Higher levels take several times as long, and save little more. */
const OPTIONS = { level: 1 };

/** Compresses in a thread, so that long answers do not delay other requests. */
const gzip = promisify<string, zlib.ZlibOptions, Buffer>(zlib.gzip);

/** An encoding in Accept-Encoding, but not with the weight 0. */
const taking = (names: string) =>
  new RegExp(String.raw`(?:^|[\s,])(?:${names})\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))`, 'i');
const TAKES_GZIP = taking(String.raw`gzip|\*`);
const TAKES_BROTLI = taking('br');

export const takesGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  TAKES_GZIP.test(headers['accept-encoding'] ?? '');

/** Whether compressing an answer is of use: a client on this machine has no slow network. */
export const wantsGzip = (request: FastifyRequest): boolean =>
  takesGzip(request) && !isLocal(request);

/** A proxy on this machine names the client. */
const isLocal = ({ headers, socket }: FastifyRequest): boolean =>
  /^(::1$|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;

export const takesBrotli = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  TAKES_BROTLI.test(headers['accept-encoding'] ?? '');

/** Adds to the Vary header, for caches. */
export function varyByEncoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
}

/** Returns the text compressed, or as it is when it is short. For clients that accept gzip. */
export async function compressText(reply: FastifyReply, text: string): Promise<string | Buffer> {
  varyByEncoding(reply);
  if (text.length < MIN_LENGTH) return text;
  reply.header('content-encoding', 'gzip');
  return gzip(text, OPTIONS);
}

/** Compresses an answer that is long. For clients that accept gzip. */
export function compressStream(reply: FastifyReply, source: Readable): Readable {
  varyByEncoding(reply);
  reply.header('content-encoding', 'gzip');
  // Fastify reports the failure of the returned stream.
  return pipeline(source, zlib.createGzip(OPTIONS), () => undefined);
}
