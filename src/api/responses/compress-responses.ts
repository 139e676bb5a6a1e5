import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../credentials/client-address.ts';

/**
 * Shorter texts are not compressed: they arrive in one round trip anyway, since TCP sends ten packets at
 * once, and compressing one takes as long as a whole short request.
 */
const MIN_LENGTH = 16 * 1024;
/** Higher levels take several times as long, and save little more. */
const GZIP_OPTIONS = { level: 1 };

/** Compresses in another thread, so that long responses do not delay other requests. */
const gzip = promisify<string, zlib.ZlibOptions, Buffer>(zlib.gzip);

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** Whether the client accepts an encoding: its weight in Accept-Encoding, or else that of `*`, is above 0. */
function accepts({ headers }: WithHeaders, encoding: string): boolean {
  const items = headers['accept-encoding']?.toLowerCase().split(',') ?? [];
  const weights = new Map(
    items.map((item) => {
      const [name = '', weight = '1'] = item.split(/;\s*q=/);
      return [name.trim(), Number(weight)];
    }),
  );
  return (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
}

export const acceptsGzip = (request: WithHeaders): boolean => accepts(request, 'gzip');
export const acceptsBrotli = (request: WithHeaders): boolean => accepts(request, 'br');

/** Whether to compress a response: the client accepts it, and its network may be slow. */
export const wantsGzip = (request: FastifyRequest): boolean =>
  acceptsGzip(request) && !isLocal(request);

/** Whether the client itself is on this machine, and not only a proxy, which names its client in a header. */
const isLocal = ({ headers, socket }: FastifyRequest): boolean =>
  isLoopback(socket) && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;

/** Adds Accept-Encoding to the Vary header, so that caches keep one response for each encoding. */
export function varyByEncoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
}

/** Returns the compressed text, or a short text as it is. The client must accept gzip. */
export async function compressText(reply: FastifyReply, text: string): Promise<string | Buffer> {
  varyByEncoding(reply);
  if (text.length < MIN_LENGTH) return text;
  reply.header('content-encoding', 'gzip');
  return gzip(text, GZIP_OPTIONS);
}

/** Compresses a long response. The client must accept gzip. */
export function compressStream(reply: FastifyReply, source: Readable): Readable {
  varyByEncoding(reply);
  reply.header('content-encoding', 'gzip');
  // Fastify reports the failure of the returned stream.
  return pipeline(source, zlib.createGzip(GZIP_OPTIONS), () => undefined);
}
