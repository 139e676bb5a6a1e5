import { empty, type Queryable, sql } from '../../platform/database/database.ts';
import {
  disconnectedBefore,
  goneBefore,
  type PresenceRow,
  presentPresence,
} from './present-presence.ts';
import type { PresentedPresence } from './schema.ts';

/** The address of a document, which need not exist. */
export interface PresencePlace {
  tenantId: string;
  organizationId: string;
  documentId: string;
}

/**
 * The users who are present in a document, in the order of ids: those whose presence was set, and
 * those who are connected. A name that was not set comes from the stored user.
 */
export async function readPresence(
  db: Queryable,
  { tenantId, organizationId, documentId }: PresencePlace,
  now: number,
  userIds?: string[],
): Promise<PresentedPresence[]> {
  const named = userIds?.length ? sql`AND user_id = ANY(${userIds})` : empty;
  const here = sql`
    tenant_id = ${tenantId} AND organization_id = ${organizationId}
    AND document_id = ${documentId} ${named}`;
  const rows = await db.query<PresenceRow>(sql`
    SELECT present.user_id AS "userId", COALESCE(present.name, users.name) AS name,
           COALESCE(present.email, users.email) AS email, status, seen_at AS "seenAt", "isConnected"
    FROM (
      SELECT COALESCE(said.user_id, connected.user_id) AS user_id, name, email, status, seen_at,
             connected.user_id IS NOT NULL AS "isConnected"
      FROM (SELECT * FROM presence WHERE ${here} AND seen_at > ${goneBefore(now)}) AS said
      FULL JOIN (SELECT DISTINCT user_id FROM presence_connections
                 JOIN presence_processes process ON process.id = process_id
                 WHERE ${here} AND process.seen_at > ${disconnectedBefore(now)}) AS connected
        ON connected.user_id = said.user_id
    ) AS present
    LEFT JOIN users ON users.tenant_id = ${tenantId} AND users.user_id = present.user_id
    ORDER BY present.user_id`);
  return rows.map((row) => presentPresence(row, now));
}
