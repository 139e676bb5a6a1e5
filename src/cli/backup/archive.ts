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

const Header = z.object({
  format: z.literal(FORMAT),
  /** ISO 8601: the moment that the backup shows. */
  createdAt: z.string(),
  /** The migrations of the schema, in their order. */
  migrations: z.array(z.string()),
  /** The version of the job queue's tables; null where there are none. */
  jobTables: z.number().nullable(),
});
export type ArchiveHeader = z.infer<typeof Header>;

const Table = z.object({
  /** `users`, or `pgboss.job` for those of the job queue. */
  table: z.string(),
  columns: z.array(z.string()),
});
export type ArchivedTable = z.infer<typeof Table>;

const End = z.object({
  tables: z.record(z.string(), z.object({ rows: z.number(), digest: z.string() })),
  /** The last values of sequences, by name. */
  sequences: z.record(z.string(), z.string()),
});
export type ArchiveEnd = z.infer<typeof End>;

const NEWLINE = 10;
/** How much of a line a message shows. */
const SHOWN_LENGTH = 60;
const END = Buffer.from(`${END_OF_ROWS}\n`);
const END_AFTER_ROWS = Buffer.from(`\n${END_OF_ROWS}\n`);

/** Reads a backup from its beginning to its end. */
export class ArchiveReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #path: string;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
    const file = createReadStream(path);
    const unzipped = createGunzip();
    file.on('error', (error) => unzipped.destroy(error));
    this.#chunks = file.pipe(unzipped)[Symbol.asyncIterator]();
  }

  /** @throws StartError when the file is no backup */
  header(): Promise<ArchiveHeader> {
    return this.#read(Header, () => 'it is no backup of this service');
  }

  /** Returns the next table, or what stands after the last one. The rows must be read in between. */
  next(): Promise<ArchivedTable | ArchiveEnd> {
    return this.#read(
      z.union([Table, End]),
      (line) => `the line "${line.slice(0, SHOWN_LENGTH)}" names neither a table nor the end`,
    );
  }

  /** Yields the rows of the table that was returned last, in blocks of complete lines. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#buffer.subarray(0, END.length).equals(END)) {
        this.#buffer = this.#buffer.subarray(END.length);
        return;
      }
      const end = this.#buffer.indexOf(END_AFTER_ROWS);
      // Without the end, the last line may be its beginning.
      const length = end < 0 ? this.#endOfSecondLastLine() : end + 1;
      if (length > 0) yield this.#buffer.subarray(0, length);
      this.#buffer = this.#buffer.subarray(length);
      if (end < 0) await this.#more();
    }
  }

  #endOfSecondLastLine(): number {
    const last = this.#buffer.lastIndexOf(NEWLINE);
    return last < 1 ? 0 : this.#buffer.lastIndexOf(NEWLINE, last - 1) + 1;
  }

  async #read<Part>(schema: z.ZodType<Part>, problem: (line: string) => string): Promise<Part> {
    const line = await this.#line();
    try {
      return schema.parse(JSON.parse(line));
    } catch {
      throw this.#broken(problem(line));
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(NEWLINE);
      if (end >= 0) {
        const line = this.#buffer.toString('utf8', 0, end);
        this.#buffer = this.#buffer.subarray(end + 1);
        return line;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) this.#buffer = Buffer.concat([this.#buffer, value]);
      else throw new Error('it ends too early');
    } catch (error) {
      throw this.#broken(reasonOf(error));
    }
  }

  #broken(reason: string): StartError {
    return new StartError(`${this.#path} cannot be used: ${reason}.`);
  }
}
