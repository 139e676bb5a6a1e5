import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { reasonOf, StartError } from '../../platform/start-error.ts';

/**
 * A backup is a gzip file of lines: a header, then for each table one line that names it, its rows as
 * PostgreSQL's COPY writes them, and the line `\.`; at the end what proves that all is there.
 */
export const FORMAT = 'collaboration-backup';
export const END_OF_ROWS = '\\.';

/** Names are printed, so a crafted backup may not choose their characters. */
const Name = z.string().regex(/^\w{1,100}$/);
const TableName = z.string().regex(/^\w{1,63}(\.\w{1,63})?$/);

const Header = z.object({
  format: z.literal(FORMAT),
  /** ISO 8601: the moment that the backup shows. */
  createdAt: z.iso.datetime(),
  /** The migrations of the schema, in their order. */
  migrations: z.array(Name),
  /** The version of the job queue's tables; null where there are none. */
  jobTables: z.number().nullable(),
});
export type ArchiveHeader = z.infer<typeof Header>;

const Table = z.object({
  /** `users`, or `pgboss.job` for those of the job queue. */
  table: TableName,
  columns: z.array(Name).min(1),
});
export type ArchivedTable = z.infer<typeof Table>;

const Facts = z.object({ rows: z.int().min(0), digest: z.string().regex(/^[0-9a-f]{16}$/) });
const End = z.object({
  tables: z.record(TableName, Facts),
  /** The last values of sequences, by name. */
  sequences: z.record(TableName, z.string().regex(/^\d{1,19}$/)),
});
export type ArchiveEnd = z.infer<typeof End>;

const NEWLINE = 10;
/** Lines beside rows name tables and columns. A row may have content of 100 MB, in two digits a byte. */
const MAX_LINE_BYTES = 1024 * 1024;
const MAX_ROW_BYTES = 256 * 1024 * 1024;
/** How much of a line a message shows. */
const SHOWN_LENGTH = 60;
const END = Buffer.from(`${END_OF_ROWS}\n`);
const END_AFTER_ROWS = Buffer.from(`\n${END_OF_ROWS}\n`);

/** Reads a backup from its beginning to its end. */
export class ArchiveReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #path: string;
  #buffer: Buffer = Buffer.alloc(0);
  /** The lines that were read so far. */
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
    const file = createReadStream(path);
    const unzipped = createGunzip();
    file.on('error', (error) => unzipped.destroy(error));
    this.#chunks = file.pipe(unzipped)[Symbol.asyncIterator]();
  }

  /** @throws StartError when the file is no backup */
  header(): Promise<ArchiveHeader> {
    return this.#read(Header, () => 'it is not a backup of this service');
  }

  /** Returns the next table, or what stands after the last one. The rows must be read in between. */
  next(): Promise<ArchivedTable | ArchiveEnd> {
    return this.#read(
      z.union([Table, End]),
      (line) =>
        `the line ${JSON.stringify(line.slice(0, SHOWN_LENGTH))} names neither a table nor the end`,
    );
  }

  /** Yields the rows of the table that was returned last, in blocks of complete lines. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#buffer.subarray(0, END.length).equals(END)) {
        this.#take(END.length);
        return;
      }
      const end = this.#buffer.indexOf(END_AFTER_ROWS);
      // Without the end, the last line may be its beginning.
      const length = end < 0 ? this.#endOfSecondLastLine() : end + 1;
      if (length > 0) yield this.#take(length);
      if (end < 0) await this.#more(MAX_ROW_BYTES);
    }
  }

  #endOfSecondLastLine(): number {
    const last = this.#buffer.lastIndexOf(NEWLINE);
    return last < 1 ? 0 : this.#buffer.lastIndexOf(NEWLINE, last - 1) + 1;
  }

  async #read<Part>(schema: z.ZodType<Part>, problem: (line: string) => string): Promise<Part> {
    const at = this.#lines + 1;
    const line = await this.#line();
    try {
      return schema.parse(JSON.parse(line));
    } catch {
      throw this.#broken(problem(line), at);
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(NEWLINE);
      if (end > MAX_LINE_BYTES) throw this.#tooLong();
      if (end >= 0) return this.#take(end + 1).toString('utf8', 0, end);
      await this.#more(MAX_LINE_BYTES);
    }
  }

  /** Removes complete lines from the buffer. */
  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    for (let at = taken.indexOf(NEWLINE); at >= 0; at = taken.indexOf(NEWLINE, at + 1)) {
      this.#lines += 1;
    }
    return taken;
  }

  /** Reads to the end of the next line at least, so that a long one is put together once. */
  async #more(maxBytes: number): Promise<void> {
    const parts = [this.#buffer];
    let length = this.#buffer.length - (this.#buffer.lastIndexOf(NEWLINE) + 1);
    for (;;) {
      const part = await this.#next();
      parts.push(part);
      length += part.length;
      if (length - part.length > maxBytes) throw this.#tooLong();
      if (part.includes(NEWLINE)) break;
    }
    this.#buffer = Buffer.concat(parts);
  }

  async #next(): Promise<Buffer> {
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) return value;
    } catch (error) {
      throw this.#broken(reasonOf(error));
    }
    throw this.#broken('it ends too early');
  }

  #tooLong(): StartError {
    return this.#broken('it is longer than any line of a backup');
  }

  #broken(reason: string, line = this.#lines + 1): StartError {
    return new StartError(`${this.#path} cannot be used, line ${line}: ${reason}.`);
  }
}
