import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);

/** A file that is kept compressed. */
export interface Compressed {
  gzipped: Buffer;
  /** The entity tag, in quotes. */
  tag: string;
}

export async function compress(content: Buffer): Promise<Compressed> {
  return identify(await gzip(content, { level: zlib.constants.Z_BEST_COMPRESSION }));
}

export const identify = (gzipped: Buffer): Compressed => ({
  gzipped,
  tag: `"${createHash('sha256').update(gzipped).digest('base64url')}"`,
});

/** `gzip` or `*` in Accept-Encoding, but not with the weight 0. */
const TAKES_GZIP = /(?:^|[\s,])(?:gzip|\*)\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:$|,)))/i;

/** Sends a file as it is kept, or expanded to clients that do not accept gzip. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { gzipped, tag }: Compressed,
): Promise<FastifyReply> {
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
  reply.header('vary', vary).header('etag', `W/${tag}`);
  const { 'if-none-match': known, 'accept-encoding': accepted = '' } = request.headers;
  if (known?.includes(tag)) return reply.code(304).send();
  if (!TAKES_GZIP.test(accepted)) return reply.send(await gunzip(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}
