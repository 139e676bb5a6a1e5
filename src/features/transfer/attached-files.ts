import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import {
  blocksOf,
  checksumOf,
  countLines,
  linesOf,
  Meter,
} from '../../platform/archives/blocks.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { scheduleRemoval } from '../attachments/archive.ts';
import { fileKey } from '../attachments/attachments.ts';
import { fileName, mediaType } from '../attachments/schema.ts';
import type { TableFacts } from './manifest.ts';
import { requireRunning, requireStore, type Transfer } from './transfers.ts';

/** The table whose rows have files. */
export const ATTACHMENTS = 'attachments';

/**
 * The fields of an attachment's row that the import of its file uses. The id becomes part of a
 * storage address, and the name and the type become headers of downloads, so they are checked like
 * the fields of an upload.
 */
const attachmentLine = z.object({
  organization_id: z.string().min(1, 'must not be empty'),
  attachment_id: z.string().regex(/^[0-9A-Za-z]+$/, 'must have only letters and digits'),
  name: fileName,
  type: mediaType,
  size: z.number().int().positive(),
  checksum: z.string().nullable(),
});
type AttachmentLine = z.infer<typeof attachmentLine>;

export interface CollectedFiles {
  entries: Array<{ sha256: string; size: number }>;
  /** The bytes of all entries together. */
  size: number;
  /** The number of attachments whose files no longer exist. */
  missing: number;
}

/**
 * Copies the files of attachments into the folder, each once and named by its SHA-256. Rewrites the rows of the
 * attachments with this SHA-256, and updates the facts about their table in `tables`. Leaves out rows without a
 * file: these attachments were deleted after the moment that the archive shows.
 */
export async function collectFiles(
  running: Transfer,
  tables: TableFacts[],
): Promise<CollectedFiles> {
  const { services, ref, folder, advance } = running;
  const store = requireStore(services);
  const entries = new Map<string, number>();
  let missing = 0;
  const rowsPath = path.join(folder, ATTACHMENTS);
  const allRowsPath = `${rowsPath}.all`;
  await rename(rowsPath, allRowsPath);
  const rowsWithSha256 = async function* () {
    for await (const block of blocksOf(createReadStream(allRowsPath))) {
      for (const line of linesOf(block)) {
        const row: AttachmentLine = JSON.parse(line);
        const content = await store.read(fileKey(ref.tenantId, row.attachment_id));
        if (!content) {
          missing += 1;
          continue;
        }
        const sha256 = await copyFile(content, folder);
        entries.set(sha256, row.size);
        yield Buffer.from(`${JSON.stringify({ ...row, checksum: sha256 })}\n`);
        await advance({ files: 1 });
      }
    }
  };
  // The progress does not advance, because these rows were counted when they were first written.
  const facts = await writeRows({ folder, advance: async () => {} }, ATTACHMENTS, rowsWithSha256());
  await rm(allRowsPath);
  const table = tables.find(({ name }) => name === ATTACHMENTS);
  if (table) Object.assign(table, facts);
  const files = [...entries].map(([sha256, size]) => ({ sha256, size }));
  return { entries: files, size: files.reduce((sum, { size }) => sum + size, 0), missing };
}

/** Copies a file into a folder, and names it by its SHA-256. */
async function copyFile(content: Readable, folder: string): Promise<string> {
  const meter = new Meter();
  const temporaryPath = path.join(folder, 'file');
  await pipeline(meter.through(content), createWriteStream(temporaryPath, { mode: 0o600 }));
  const sha256 = meter.digest();
  await rename(temporaryPath, path.join(folder, sha256));
  return sha256;
}

/** Collects the attachments of an archive while their rows are imported, by the SHA-256 of their files. */
export class ExpectedFiles {
  readonly #bySha256 = new Map<string, AttachmentLine[]>();

  /** @throws INVALID_ARGUMENT for an attachment that could not have been uploaded */
  add(line: string): void {
    const { data: row, error } = attachmentLine.safeParse(JSON.parse(line));
    if (!row) {
      const [issue] = error.issues;
      throw invalidArgument(
        `The archive cannot be imported: ${issue?.path.join('.')} of an attachment ${issue?.message}.`,
      );
    }
    const others = this.#bySha256.get(row.checksum ?? '');
    if (others) others.push(row);
    else this.#bySha256.set(row.checksum ?? '', [row]);
  }

  /** Returns the attachments with this file and removes them, because an archive has each file once. */
  take(sha256: string): AttachmentLine[] {
    const rows = this.#bySha256.get(sha256) ?? [];
    this.#bySha256.delete(sha256);
    return rows;
  }

  get isEmpty(): boolean {
    return this.#bySha256.size === 0;
  }
}

/**
 * Stores a file once for each of its attachments, unless an interrupted run has already done so. First schedules
 * the removal of each stored file, in case the import fails. A successful import cancels these removals.
 *
 * @throws ALREADY_EXISTS if an attachment with that id has another file
 */
export async function storeFile(
  { services, ref }: Pick<Transfer, 'services' | 'ref'>,
  { source, sha256, rows }: { source: string; sha256: string; rows: AttachmentLine[] },
): Promise<void> {
  const store = requireStore(services);
  for (const { attachment_id, name, type, size } of rows) {
    const key = fileKey(ref.tenantId, attachment_id);
    await services.db.transaction(async (tx) => {
      await requireRunning(tx, ref);
      await scheduleRemoval(tx, services.clock, {
        tenantId: ref.tenantId,
        attachmentId: attachment_id,
      });
    });
    const found = await store.read(key);
    if (!found) {
      await store.put({ key, name, type, size, checksum: sha256 }, createReadStream(source));
    } else if ((await checksumOf(found)) !== sha256) {
      throw new AppError('ALREADY_EXISTS', `The attachment ${attachment_id} already exists.`);
    }
  }
}

/** Writes the rows of a table to a file, and returns facts about the table. Each chunk consists of whole lines. */
export async function writeRows(
  { folder, advance }: Pick<Transfer, 'folder' | 'advance'>,
  name: string,
  chunks: AsyncIterable<Buffer>,
): Promise<Omit<TableFacts, 'name' | 'columns'>> {
  const meter = new Meter();
  let rows = 0;
  const countedChunks = async function* () {
    for await (const chunk of meter.through(chunks)) {
      const lines = countLines(chunk);
      rows += lines;
      yield chunk;
      await advance({ rows: lines });
    }
  };
  await pipeline(countedChunks, createWriteStream(path.join(folder, name), { mode: 0o600 }));
  return { rows, size: meter.size, sha256: meter.digest() };
}
