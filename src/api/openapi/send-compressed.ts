import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesGzip, varyByEncoding } from '../responses/compress.ts';

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

/** Sends a file as it is kept, or expanded to clients that do not accept gzip. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { gzipped, tag }: Compressed,
): Promise<FastifyReply> {
  varyByEncoding(reply);
  reply.header('etag', `W/${tag}`);
  const { 'if-none-match': known } = request.headers;
  if (known?.includes(tag)) return reply.code(304).send();
  if (!takesGzip(request)) return reply.send(await gunzip(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}
