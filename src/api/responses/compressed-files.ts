import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsBrotli, acceptsGzip, varyByEncoding } from './compress-responses.ts';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
/** The highest level, 11, takes seconds for a large script, and saves little more. */
const BROTLI_LEVEL = 10;

/** A file that is stored compressed. */
export interface CompressedFile {
  gzipped: Buffer;
  /** A tenth smaller than `gzipped`. Absent for small files, for which Brotli is not worth its time. */
  brotlied?: Buffer;
  /** The entity tag, in quotes. */
  tag: string;
}

/** Compresses a file with gzip only. */
export async function compressFile(content: Buffer): Promise<CompressedFile> {
  const gzipped = await gzip(content, { level: zlib.constants.Z_BEST_COMPRESSION });
  return { gzipped, tag: `"${createHash('sha256').update(gzipped).digest('base64url')}"` };
}

/** Compresses a file that is large enough for Brotli. */
export async function compressLargeFile(content: Buffer): Promise<CompressedFile> {
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL };
  const [compressed, brotlied] = await Promise.all([
    compressFile(content),
    brotli(content, { params }),
  ]);
  return { ...compressed, brotlied };
}

/** Sends a file as it is stored, or decompressed if the client does not accept gzip. */
export async function sendCompressedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { gzipped, brotlied, tag }: CompressedFile,
): Promise<FastifyReply> {
  varyByEncoding(reply);
  reply.header('etag', `W/${tag}`);
  if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send();
  if (brotlied && acceptsBrotli(request)) {
    return reply.header('content-encoding', 'br').send(brotlied);
  }
  if (!acceptsGzip(request)) return reply.send(await gunzip(gzipped));
  return reply.header('content-encoding', 'gzip').send(gzipped);
}
