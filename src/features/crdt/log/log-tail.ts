import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { editorInput } from './logs.ts';
import { newestUpdate, newestVersion } from './newest-update.ts';
import { framedUpdates, readFramedUpdates } from './update-framing.ts';

/** An editor, and the last version of its log that a reader knows. */
interface KnownVersion {
  name: LiveDocumentName;
  version: number;
}

/** The rows of an editor's log that have updates after the known version, perhaps with some before it. */
export interface LogTail {
  /** The index of the editor in the request. */
  position: number;
  logId: string;
  /** The newest version of the log. */
  version: number;
  /** Null if a part of the tail was compacted. Then the whole content must be read. */
  updates: Buffer[] | null;
}

/** Reads the tails of logs that have grown, with one statement for any number of editors. */
export async function readLogTails(
  db: Queryable,
  known: readonly KnownVersion[],
): Promise<LogTail[]> {
  const names = known.map(({ name }) => name);
  const versions = sql`${known.map(({ version }) => version)}::bigint[]`;
  const rows = await db.query<Omit<LogTail, 'updates'> & { updates: Buffer | null }>(sql`
    SELECT input.position::int - 1 AS position, c.log_id AS "logId", ${newestVersion}::float8 AS version,
           CASE WHEN c.snapshot_version <= input.version THEN (
             SELECT ${framedUpdates} FROM crdt_updates u
             WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id AND u.version > input.version
           ) END AS updates
    FROM ${editorInput(names, { version: versions })}
    JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
    ${newestUpdate}
    WHERE ${newestVersion} > input.version`);
  return rows.map((row) => ({ ...row, updates: row.updates && readFramedUpdates(row.updates) }));
}
