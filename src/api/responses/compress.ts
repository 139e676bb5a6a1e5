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

/** Runs in a thread of its own, so that long answers do not delay other requests. */
const gzip = promisify<string, zlib.ZlibOptions, Buffer>(zlib.gzip);

/** Matches an Accept-Encoding header that names one of these encodings, but not with the weight 0. */
const accepting = (names: string) =>
  new RegExp(String.raw`(?:^|[\s,])(?:${names})\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))`, 'i');
const ACCEPTS_GZIP = accepting(String.raw`gzip|\*`);
const ACCEPTS_BROTLI = accepting('br');

export const acceptsGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  ACCEPTS_GZIP.test(headers['accept-encoding'] ?? '');

/** Whether compressing an answer is of use: a client on this machine has no slow network. */
export const wantsGzip = (request: FastifyRequest): boolean =>
  acceptsGzip(request) && !isLocal(request);

/** Whether the client is on this machine. A proxy here forwards for clients elsewhere. */
const isLocal = ({ headers, socket }: FastifyRequest): boolean =>
  /^(::1$|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;

export const acceptsBrotli = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  ACCEPTS_BROTLI.test(headers['accept-encoding'] ?? '');

/** Adds Accept-Encoding to the Vary header, so that caches keep one answer for each encoding. */
export function varyByEncoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
}

/** Returns the text compressed, or as it is when it is short. The client must accept gzip. */
export async function compressText(reply: FastifyReply, text: string): Promise<string | Buffer> {
  varyByEncoding(reply);
  if (text.length < MIN_LENGTH) return text;
  reply.header('content-encoding', 'gzip');
  return gzip(text, OPTIONS);
}

/** Compresses a long answer. The client must accept gzip. */
export function compressStream(reply: FastifyReply, source: Readable): Readable {
  varyByEncoding(reply);
  reply.header('content-encoding', 'gzip');
  // Fastify reports the failure of the returned stream.
  return pipeline(source, zlib.createGzip(OPTIONS), () => undefined);
}
