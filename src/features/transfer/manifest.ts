import { z } from 'zod';
import { id } from '../../api/fields.ts';
import type { Report } from './schema.ts';

/** The version of the format. It changes when an older server would misread an archive. */
export const VERSION = 1;
export const FORMAT = 'collaboration-archive';
export const MANIFEST_FILE = 'manifest.json';
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Name = z.string().regex(/^[a-z_]{1,63}$/);

/** The rows of one table: a file of lines, each a JSON object. */
const Table = z.object({
  name: Name,
  columns: z.array(Name).min(1).max(200),
  rows: z.int().min(0),
  size: z.int().min(0),
  sha256,
});
export type TableFacts = z.infer<typeof Table>;

/** The first file of an archive, which says what the others are. */
export const Manifest = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  createdAt: z.iso.datetime(),
  /** The API key that it was exported from. */
  apiKey: id,
  /** Absent from an archive of everything of the key. */
  organizationId: id.optional(),
  /** The moment of the archive in the log: it holds what all events up to the cursor describe. */
  events: z.object({
    cursor: z.string().max(1_000),
    /** Events after the cursor that the archive holds, too. */
    alsoHeld: z.array(z.string()),
  }),
  tables: z.array(Table).max(200),
  files: z.object({ count: z.int().min(0), size: z.int().min(0) }),
});
export type Manifest = z.infer<typeof Manifest>;

export const rowsFile = (table: string): string => `rows/${table}.ndjson`;
/** Files are named by their SHA-256. */
export const FILES_FOLDER = 'files/';

/** The report on an archive that callers receive. */
export const reportOf = ({ tables, files, events }: Manifest, missingFiles: number): Report => ({
  eventCursor: events.cursor,
  rows: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
  files: files.count,
  missingFiles,
});
