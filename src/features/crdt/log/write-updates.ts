import {
  type Database,
  empty,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import type { Append } from './append.ts';
import { columnsOf } from './editor-name.ts';
import { newestUpdate, newestVersion } from './newest-update.ts';
import { notifyAppend } from './notify-append.ts';
import { frameUpdate } from './update-framing.ts';

/** A row of this size takes no more updates, since every write leaves a dead copy of the row. */
const MAX_ROW_BYTES = 900;

export interface LockedRow {
  position: number;
  logId: string;
  folderId: string | null;
  eventAt: Date | null;
  eventDueAt: Date | null;
}

/** An update, and the locked row of its editor. */
export interface Pair {
  append: Append;
  row: LockedRow;
}

export interface Written {
  logId: string;
  version: number | null;
  /** The users who claim Yjs clients of others. */
  claimedBy: string[];
}

/**
 * Locks rows in the order of their ids, so that two processes cannot deadlock. The holder of the lock
 * assigns the next version, but a later statement reads it, since this one may have waited.
 */
export function lockRows(tx: Transaction, appends: readonly Append[]): Promise<LockedRow[]> {
  const columns = columnsOf(appends.map(({ name }) => name));
  const logIds = appends.map(({ logId }) => logId ?? null);
  return tx.query<LockedRow>(sql`
    SELECT input.position::int, c.log_id AS "logId", d.folder_id AS "folderId",
           c.event_at AS "eventAt", c.event_due_at AS "eventDueAt"
    FROM unnest(${columns.tenantIds}::text[], ${columns.organizationIds}::text[],
                ${columns.documentIds}::text[], ${columns.editorIds}::text[], ${logIds}::uuid[])
           WITH ORDINALITY
           AS input(tenant_id, organization_id, document_id, editor_id, log_id, position)
    JOIN crdt_documents c USING (tenant_id, organization_id, document_id, editor_id)
    JOIN documents d USING (tenant_id, organization_id, document_id)
    WHERE input.log_id IS NULL OR input.log_id = c.log_id
    ORDER BY tenant_id, organization_id, document_id, editor_id
    FOR NO KEY UPDATE OF c`);
}

/**
 * Adds an update to the last row of its editor's log while that row is small: a row for each update,
 * with its index entry, would be several times as large as the typed text.
 */
export function writeUpdates(
  tx: Transaction,
  db: Database,
  pairs: readonly Pair[],
  now: Date,
): Promise<Written[]> {
  const { claims, claimedBy, claimed } = claimsOf(pairs);
  return tx.query<Written>(sql`
    WITH ${claims} incoming AS MATERIALIZED (
      SELECT c.tenant_id, c.log_id, newest.first_version, ${newestVersion} AS known,
             ${newestVersion} + input.count AS version, input.updates, input.user_id,
             input.replaces IS NOT NULL AS replaces, ${claimedBy} AS claimed_by,
             coalesce(input.after <> ${newestVersion}, false)
               OR coalesce(input.replaces < c.replaced_version, false) AS is_overtaken,
             coalesce(newest.bytes + octet_length(input.updates) <= ${MAX_ROW_BYTES}, false) AS fits
      FROM unnest(${pairs.map(({ append }) => append.name.tenantId)}::text[],
                ${pairs.map(({ row }) => row.logId)}::uuid[],
                ${pairs.map(({ append }) => append.count)}::int[],
                ${pairs.map(({ append }) => frameUpdate(append.update))}::bytea[],
                ${pairs.map(({ append }) => append.userId ?? null)}::text[],
                ${pairs.map(({ append }) => append.after ?? null)}::bigint[],
                ${pairs.map(({ append }) => append.replaces ?? null)}::bigint[])
           AS input(tenant_id, log_id, count, updates, user_id, after, replaces)
      JOIN crdt_documents c USING (tenant_id, log_id) ${newestUpdate}
    ), taken AS MATERIALIZED (
      SELECT * FROM incoming WHERE claimed_by = '{}' AND NOT is_overtaken
    ), ${claimed} replaced AS (
      UPDATE crdt_documents c SET replaced_version = taken.version
      FROM taken
      WHERE taken.replaces AND c.tenant_id = taken.tenant_id AND c.log_id = taken.log_id
    ), added AS (
      UPDATE crdt_updates u
      SET version = taken.version, created_at = ${now}::timestamptz, user_id = taken.user_id,
          updates = taken.updates || u.updates
      FROM taken
      WHERE taken.fits AND u.tenant_id = taken.tenant_id AND u.log_id = taken.log_id
        AND u.first_version = taken.first_version
      RETURNING u.log_id, u.version
    ), begun AS (
      INSERT INTO crdt_updates
        (tenant_id, log_id, first_version, version, created_at, user_id, updates)
      SELECT tenant_id, log_id, known + 1, version, ${now}::timestamptz, user_id, updates
      FROM taken WHERE NOT fits
      RETURNING log_id, version
    )
    SELECT log_id AS "logId", version::float8 AS version, '{}'::text[] AS "claimedBy",
           ${notifyAppend(db, sql`log_id`)} AS notified
    FROM (SELECT * FROM added UNION ALL SELECT * FROM begun) written
    UNION ALL SELECT log_id, NULL, claimed_by, NULL FROM incoming
    WHERE claimed_by <> '{}' OR is_overtaken`);
}

/** Returns the parts of the statement that check and store client claims; most updates claim none. */
function claimsOf(pairs: readonly Pair[]) {
  const all = pairs.flatMap(({ append, row }) =>
    [...(append.claims ?? [])].map(([client, userId]) => ({ append, row, client, userId })),
  );
  if (all.length === 0) return { claims: empty, claimedBy: sql`'{}'::text[]`, claimed: empty };
  const claims = sql`claims AS MATERIALIZED (
      SELECT * FROM unnest(${all.map(({ append }) => append.name.tenantId)}::text[],
                           ${all.map(({ row }) => row.logId)}::uuid[],
                           ${all.map(({ client }) => client)}::bigint[],
                           ${all.map(({ userId }) => userId)}::text[])
             AS claim(tenant_id, log_id, client_id, user_id)
    ),`;
  const claimedBy = sql`ARRAY(
      SELECT DISTINCT claims.user_id FROM claims JOIN crdt_clients o USING (tenant_id, log_id, client_id)
      WHERE claims.tenant_id = c.tenant_id AND claims.log_id = c.log_id
        AND claims.user_id <> o.user_id)`;
  const claimed = sql`claimed AS (
      INSERT INTO crdt_clients (tenant_id, log_id, client_id, user_id)
      SELECT tenant_id, log_id, client_id, claims.user_id
      FROM claims JOIN taken USING (tenant_id, log_id)
      ON CONFLICT DO NOTHING
    ),`;
  return { claims, claimedBy, claimed };
}
