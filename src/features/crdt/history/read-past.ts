import { type Queryable, sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { noCrdtData } from '../change-stored.ts';
import { readLarge } from '../log/read-large.ts';
import { rowsUpTo, timedRows } from '../log/update-framing.ts';
import type { PastContent } from '../worker/jobs.ts';

/** SQL for the segments of an editor's past (keep-history.ts). The last one has no end: its updates are in the log. */
const historySegments = ({
  tenantId,
  organizationId,
  documentId,
  editorId,
}: LiveDocumentName) => sql`
  editor AS (
    SELECT * FROM crdt_documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND editor_id = ${editorId}
  ), segments AS (
    SELECT snapshot_version AS base_version, snapshot AS base, updated_at AS since,
           'infinity'::timestamptz AS until, (
             SELECT ${timedRows} FROM crdt_updates u
             WHERE u.tenant_id = editor.tenant_id AND u.log_id = editor.log_id
               AND u.version > editor.snapshot_version) AS updates
    FROM editor
    UNION ALL
    SELECT h.base_version, h.base, h.since, h.until, h.updates
    FROM editor JOIN crdt_history h USING (tenant_id, log_id)
  )`;

/**
 * Reads the content that an editor had at a given time.
 *
 * @param at epoch milliseconds
 * @throws OUT_OF_RANGE when that content is not stored; NOT_FOUND when the editor has no later content either
 */
export async function readPast(
  db: Queryable,
  name: LiveDocumentName,
  at: number,
): Promise<PastContent> {
  const [past] = await readLarge<{ id: string; baseBytes: number | null }>(
    db,
    sql`
    WITH ${historySegments(name)}
    SELECT base_version::text AS id, octet_length(base) AS "baseBytes",
           coalesce(base, '') || coalesce(updates, '') AS bytes
    FROM segments WHERE ${new Date(at)} BETWEEN since AND until
    ORDER BY base_version DESC LIMIT 1`,
    sql`"baseBytes",`,
  );
  if (!past) throw await noPastError(db, name, at);
  const { bytes, baseBytes } = past;
  return {
    snapshot: baseBytes === null ? null : bytes.subarray(0, baseBytes),
    rows: rowsUpTo(bytes.subarray(baseBytes ?? 0), at),
  };
}

async function noPastError(db: Queryable, name: LiveDocumentName, at: number): Promise<AppError> {
  const [oldest] = await db.query<{ since: Date | null }>(sql`
    WITH ${historySegments(name)}
    SELECT min(since) AS since FROM segments WHERE since > ${new Date(at)}`);
  if (!oldest?.since) return noCrdtData();
  return new AppError(
    'OUT_OF_RANGE',
    `at: The content at that time is not stored. The oldest stored content after it is from ${oldest.since.toISOString()}.`,
    { details: { oldestAt: oldest.since.getTime() } },
  );
}
