import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesBrotli, takesGzip, varyByEncoding } from './compress.ts';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
/** The highest level takes seconds for a large script, and saves little more. */
const BROTLI_LEVEL = 10;

/** A file that is kept compressed. */
export interface Compressed {
  gzipped: Buffer;
  /** Smaller by a tenth. Not everything is worth the time that it takes. */
  brotlied?: Buffer;
  /** The entity tag, in quotes. */
  tag: string;
}

export async function compress(content: Buffer): Promise<Compressed> {
  const gzipped = await gzip(content, { level: zlib.constants.Z_BEST_COMPRESSION });
  return { gzipped, tag: `"${createHash('sha256').update(gzipped).digest('base64url')}"` };
}

/** Compresses a large file for all clients. */
export async function compressLarge(content: Buffer): Promise<Compressed> {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL };
  const [compressed, brotlied] = await Promise.all([
    compress(content),
    brotli(content, { params }),
  ]);
  return { ...compressed, brotlied };
}

/** Sends a file as it is kept, or expanded to clients that do not accept gzip. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { gzipped, brotlied, tag }: Compressed,
): Promise<FastifyReply> {
  varyByEncoding(reply);
  reply.header('etag', `W/${tag}`);
  const { 'if-none-match': known } = request.headers;
  if (known?.includes(tag)) return reply.code(304).send();
  if (brotlied && takesBrotli(request)) {
    return reply.header('content-encoding', 'br').send(brotlied);
  }
  if (!takesGzip(request)) return reply.send(await gunzip(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}
