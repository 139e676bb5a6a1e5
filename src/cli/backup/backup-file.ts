import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { blocksOf, countLines, NEWLINE } from '../../platform/archives/blocks.ts';
import { reasonOf, StartError } from '../../platform/start-error.ts';

/**
 * A backup is a gzip file of lines: a header, then for each table one line that names it, its rows as
 * PostgreSQL's COPY writes them, and the line `\.`. The last line has the fingerprints that prove the backup complete.
 */
export const FORMAT = 'collaboration-backup';
export const END_OF_ROWS = '\\.';

/** Names are printed, so their characters are limited in case a backup was crafted. */
const Name = z.string().regex(/^\w{1,100}$/);
const TableName = z.string().regex(/^\w{1,63}(\.\w{1,63})?$/);

const Header = z.object({
  format: z.literal(FORMAT),
  /** ISO 8601: the moment that the backup shows. */
  createdAt: z.iso.datetime(),
  /** The migrations of the schema, in their order. */
  migrations: z.array(Name),
  /** The version of the job queue's tables; null if there are none. */
  jobTables: z.number().nullable(),
});
export type BackupHeader = z.infer<typeof Header>;

const Table = z.object({
  /** Such as `users`, or `pgboss.job` for a table of the job queue. */
  table: TableName,
  columns: z.array(Name).min(1),
});
export type BackupTable = z.infer<typeof Table>;

const TableFingerprint = z.object({
  rows: z.int().min(0),
  digest: z.string().regex(/^[0-9a-f]{16}$/),
});
const End = z.object({
  tables: z.record(TableName, TableFingerprint),
  /** The last values of sequences, by name. */
  sequences: z.record(TableName, z.string().regex(/^\d{1,19}$/)),
});
type BackupEnd = z.infer<typeof End>;

/** The most characters of a line that a message shows. */
const EXCERPT_LENGTH = 60;
const END = Buffer.from(`${END_OF_ROWS}\n`);
const END_AFTER_ROWS = Buffer.from(`\n${END_OF_ROWS}\n`);

export class BackupReader {
  readonly #blocks: AsyncIterator<Buffer>;
  readonly #path: string;
  /** Complete lines that were read, but not taken yet. */
  #buffer: Buffer = Buffer.alloc(0);
  /** How many lines were taken so far. */
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
    const file = createReadStream(path);
    const unzipped = createGunzip();
    file.on('error', (error) => unzipped.destroy(error));
    this.#blocks = blocksOf(file.pipe(unzipped), 0);
  }

  /** @throws StartError when the file is not a backup */
  header(): Promise<BackupHeader> {
    return this.#read(Header, () => 'it is not a backup of this service');
  }

  /**
   * Reads the tables in turn.
   *
   * @param readTable gets the rows of a table in blocks of complete lines, and must read all of them
   * @returns the end of the backup: the fingerprints of all tables, and the sequences
   */
  async tables(
    readTable: (table: BackupTable, rows: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<BackupEnd> {
    for (;;) {
      const part = await this.#read(z.union([Table, End]), (line) => {
        const excerpt = JSON.stringify(line.slice(0, EXCERPT_LENGTH));
        return `the line ${excerpt} names neither a table nor the end`;
      });
      if ('tables' in part) return part;
      await readTable(part, this.#rows());
    }
  }

  async *#rows(): AsyncGenerator<Buffer> {
    for (;;) {
      await this.#fill();
      if (this.#buffer.subarray(0, END.length).equals(END)) break;
      const end = this.#buffer.indexOf(END_AFTER_ROWS) + 1;
      yield this.#take(end || this.#buffer.length);
    }
    this.#take(END.length);
  }

  async #read<Part>(schema: z.ZodType<Part>, problem: (line: string) => string): Promise<Part> {
    await this.#fill();
    const lineNumber = this.#lines + 1;
    const end = this.#buffer.indexOf(NEWLINE);
    const line = this.#take(end + 1).toString('utf8', 0, end);
    try {
      return schema.parse(JSON.parse(line));
    } catch {
      throw this.#unusable(problem(line), lineNumber);
    }
  }

  /** Removes complete lines from the buffer, and returns them. */
  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    this.#lines += countLines(taken);
    return taken;
  }

  /** Reads further lines if the buffer is empty. */
  async #fill(): Promise<void> {
    if (this.#buffer.length > 0) return;
    const { value, done } = await this.#blocks.next().catch((error: unknown) => {
      throw this.#unusable(reasonOf(error));
    });
    if (done) throw this.#unusable('it ends too early');
    this.#buffer = value;
  }

  #unusable(reason: string, line = this.#lines + 1): StartError {
    return new StartError(`${this.#path} cannot be used, line ${line}: ${reason}.`);
  }
}
