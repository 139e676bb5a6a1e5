import { createHash } from 'node:crypto';

/** With this size, blocks are few, and each fits into one statement. */
const BLOCK_BYTES = 512 * 1024;
/** A live document may have 100 MB, and a line contains two hexadecimal digits for each byte. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
export const NEWLINE = 10;
const COMMA = 44;
const CLOSING_BRACKET = 93;

export class BlockError extends Error {}

/**
 * Splits a stream of lines into blocks of complete lines.
 *
 * @param minBytes the least size of a block, except for the last one
 * @throws BlockError for a line that is too long, or a last line that does not end in a newline
 */
export async function* blocksOf(
  chunks: AsyncIterable<Buffer>,
  minBytes = BLOCK_BYTES,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  let lineBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    lineBytes = end > 0 ? chunk.length - end : lineBytes + chunk.length;
    if (lineBytes > MAX_LINE_BYTES) throw new BlockError('a line is too long');
    let rest = chunk;
    if (end > 0 && size + end >= minBytes) {
      yield Buffer.concat([...parts, chunk.subarray(0, end)]);
      rest = chunk.subarray(end);
      parts = [];
      size = 0;
    }
    parts.push(rest);
    size += rest.length;
  }
  if (lineBytes > 0) throw new BlockError('the last line has no end');
  if (size > 0) yield Buffer.concat(parts);
}

/** The SHA-256 of a stream, in hexadecimal digits. */
export async function checksumOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const meter = new Meter();
  for await (const chunk of chunks) meter.add(chunk);
  return meter.digest();
}

/** Counts and hashes bytes. */
export class Meter {
  readonly #hash = createHash('sha256');
  size = 0;

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  /** The SHA-256 of all bytes, in hexadecimal digits. Nothing can be added afterwards. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  async *through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk);
      yield chunk;
    }
  }
}

/** The number of lines that end in a chunk. */
export function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

export const linesOf = (block: Buffer): string[] => block.toString('utf8').trimEnd().split('\n');

/** Converts lines of JSON to a JSON array. The last newline becomes the closing bracket. */
export function jsonArrayOf(lines: Buffer): Buffer {
  const array = Buffer.concat([Buffer.from('['), lines]);
  for (let at = array.indexOf(NEWLINE); at >= 0; at = array.indexOf(NEWLINE, at + 1))
    array[at] = COMMA;
  array[array.length - 1] = CLOSING_BRACKET;
  return array;
}
