import { rowsAmong } from '../../api/paging.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { PresentedPresence } from './schema.ts';

/** Presence that has not been renewed for this long is shown as offline (specification 4.10). */
export const TIMEOUT_MS = 60_000;
/**
 * Connections of a process that has not reported for this long have ended. This is shorter than `TIMEOUT_MS`, so
 * that users of a process that crashed are offline within a minute.
 */
export const CONNECTION_TIMEOUT_MS = 50_000;
/** An entry that has not been renewed for this long has expired: it is no longer shown, and will be deleted. */
const EXPIRY_MS = 10 * 60_000;

/** An entry that was last renewed at or before this time is offline. */
export const timedOutBefore = (now: number): Date => new Date(now - TIMEOUT_MS);
/** Connections of a process that last reported at or before this time have ended. */
export const disconnectedBefore = (now: number): Date => new Date(now - CONNECTION_TIMEOUT_MS);
/** An entry that was last renewed at or before this time has expired. */
export const expiredBefore = (now: number): Date => new Date(now - EXPIRY_MS);

/** The address of a document, which need not exist. */
export interface PresencePlace {
  tenantId: string;
  organizationId: string;
  documentId: string;
}

/** SQL condition: the row is about this document. */
export const inPlace = ({ tenantId, organizationId, documentId }: PresencePlace): Sql => sql`
  tenant_id = ${tenantId} AND organization_id = ${organizationId} AND document_id = ${documentId}`;

interface PresenceRow {
  userId: string;
  name: string | null;
  email: string | null;
  status: string;
}

/**
 * Returns the users who are present in a document, in the order of their ids.
 *
 * @param now epoch milliseconds
 * @param userIds if present and not empty, returns only these users
 */
export async function readPresence(
  db: Queryable,
  place: PresencePlace,
  now: number,
  userIds?: string[],
): Promise<PresentedPresence[]> {
  const rows = await db.query<PresenceRow>(sql`
    SELECT user_id AS "userId", name, email, status
    FROM (${presentIn(place, now, userIds)}) AS present ORDER BY user_id`);
  return rows.map(({ userId, name, email, status }) => ({
    userId,
    ...(name !== null && { name }),
    ...(email !== null && { email }),
    status,
  }));
}

/**
 * SQL for the users who are present in a document: those whose presence was set, and those who are
 * connected. A name that was not set comes from the stored user. A status that was set holds until
 * its timeout, for connected users too.
 */
export function presentIn(place: PresencePlace, now: number, userIds?: string[]): Sql {
  const rows = (table: Sql) =>
    rowsAmong({ table, where: inPlace(place), idColumn: sql`user_id` }, userIds);
  return sql`
    SELECT present.user_id, COALESCE(present.name, users.name) AS name,
           COALESCE(present.email, users.email) AS email,
           CASE WHEN seen_at > ${timedOutBefore(now)} THEN status
                WHEN is_connected THEN 'online' ELSE 'offline' END AS status
    FROM (
      SELECT COALESCE(input.user_id, connected.user_id) AS user_id, name, email, status, seen_at,
             connected.user_id IS NOT NULL AS is_connected
      FROM (SELECT * FROM ${rows(sql`presence`)} p WHERE seen_at > ${expiredBefore(now)}) AS input
      FULL JOIN (SELECT DISTINCT user_id FROM ${rows(sql`presence_connections`)} c
                 JOIN presence_processes process ON process.id = process_id
                 WHERE process.seen_at > ${disconnectedBefore(now)}) AS connected
        ON connected.user_id = input.user_id
    ) AS present
    LEFT JOIN LATERAL (
      SELECT name, email FROM users
      WHERE tenant_id = ${place.tenantId} AND user_id = present.user_id OFFSET 0) AS users ON true`;
}
