import { z } from 'zod';
import { id } from '../../api/fields.ts';
import type { Report } from './schema.ts';

/** The version of the format. It changes when an older server would misread an archive. */
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_FORMAT = 'collaboration-archive';
export const MANIFEST_FILE = 'manifest.json';
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const sqlName = z.string().regex(/^[a-z_]{1,63}$/);

/** A table of the archive. Its rows are the lines of one file, each a JSON object. */
const Table = z.object({
  name: sqlName,
  columns: z.array(sqlName).min(1).max(200),
  rows: z.int().min(0),
  /** The bytes of the file. */
  size: z.int().min(0),
  sha256,
});
export type TableFacts = z.infer<typeof Table>;

/** The first file of an archive, which describes the others. */
export const Manifest = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(ARCHIVE_VERSION),
  createdAt: z.iso.datetime(),
  /** The API key that the archive was exported from. */
  apiKey: id,
  /** The organization in the archive. Absent if the archive holds everything of the API key. */
  organizationId: id.optional(),
  /** The position in the event log: the archive has all changes up to the cursor. */
  events: z.object({
    cursor: z.string().max(1_000),
    /** The ids of events after the cursor whose changes are in the archive, too. */
    alsoHeld: z.array(z.string()),
  }),
  tables: z.array(Table).max(200),
  /** The attached files; `size` is the sum of their bytes. */
  files: z.object({ count: z.int().min(0), size: z.int().min(0) }),
});
export type Manifest = z.infer<typeof Manifest>;

/** The name of the file with a table's rows. */
export const rowsFile = (table: string): string => `rows/${table}.ndjson`;
/** Files are named by their SHA-256. */
export const FILES_FOLDER = 'files/';

/** Returns the report on an archive, as callers receive it. */
export const reportOf = (
  { tables, files, events }: Manifest,
  { missingFiles }: Pick<Report, 'missingFiles'>,
): Report => ({
  eventCursor: events.cursor,
  rows: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
  files: files.count,
  missingFiles,
});
