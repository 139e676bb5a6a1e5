/**
 * Tar files (POSIX ustar) that contain only plain files, written and read as streams. The reader
 * refuses everything else: folders, links, extensions, and padding that is not empty.
 */

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;
/** Larger sizes are written in base 256, as GNU tar does. */
const MAX_OCTAL = 8 ** 11;

/** A file in a tar file. Its content must be read before the next entry. */
export interface TarEntry {
  name: string;
  size: number;
  content: AsyncIterable<Buffer>;
}

/** Two empty blocks mark the end of a tar file. */
const END_MARKER = Buffer.alloc(2 * BLOCK_BYTES);

const paddingOf = (size: number): number => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

export const tarSize = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + BLOCK_BYTES + size + paddingOf(size), END_MARKER.length);

export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const { name, size, content } of entries) {
    yield headerOf(name, size);
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}.`);
    const padding = paddingOf(size);
    if (padding > 0) yield Buffer.alloc(padding);
  }
  yield END_MARKER;
}

function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error(`The name ${name} is too long.`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name);
  header.write('0000600\0', 100); // mode
  header.write('0000000\0', 108); // user
  header.write('0000000\0', 116); // group
  if (size < MAX_OCTAL) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header.writeBigUInt64BE(BigInt(size), 128);
    header[124] = 0x80;
  }
  header.write('00000000000\0', 136); // time of the last change
  header.write('0', 156); // a plain file
  header.write('ustar\0', 257);
  header.write('00', 263); // version
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** The sum of all bytes of a header. The bytes that hold the checksum itself count as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

/** @throws TarError when the bytes are not a tar file of this kind, or end too early */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(chunks);
  for (;;) {
    const header = await bytes.read(BLOCK_BYTES);
    if (isZero(header)) break;
    const { name, size } = parseHeader(header);
    const content = bytes.stream(size);
    yield { name, size, content };
    // Skips content that was not read.
    for await (const _ of content);
    const padding = await bytes.read(paddingOf(size));
    if (!isZero(padding)) throw new TarError(`the padding of ${name} is not empty`);
  }
  if (!isZero(await bytes.read(BLOCK_BYTES)) || !(await bytes.isAtEnd())) {
    throw new TarError('it has data after its end');
  }
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const name = textAt(header, 0, MAX_NAME_BYTES);
  if (textAt(header, 257, 6) !== 'ustar') throw new TarError('it is not a tar file');
  if (Number.parseInt(textAt(header, 148, 8), 8) !== checksumOf(header)) {
    throw new TarError('a header is damaged');
  }
  const isPlainFile = header[156] === 0x30;
  const hasPrefix = header[345] !== 0;
  if (!isPlainFile || hasPrefix) throw new TarError('it contains more than plain files');
  const size =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(textAt(header, 124, 12), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError(`${name} has no size`);
  return { name, size };
}

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** The message says why a tar file cannot be used, as the end of a sentence about it. */
export class TarError extends Error {}

/** Reads pieces of given lengths from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Reads a piece into memory. */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0 && !(await this.#readChunk())) {
        throw new TarError('it ends too early');
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#readChunk());
  }

  /** Reads the next chunk that is not empty. @returns false at the end of the stream */
  async #readChunk(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
      if (value.length > 0) return true;
    }
  }
}
