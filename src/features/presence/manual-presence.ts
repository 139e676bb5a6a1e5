import { type Queryable, sql } from '../../platform/database/database.ts';
import type { PresencePlace } from './read-presence.ts';
import { timedOutBefore } from './timeouts.ts';

/** A status that was set through REST and has not timed out, except `offline`. */
export interface ManualPresence {
  userId: string;
  name: string | null;
  status: string;
}

type ManualRow = ManualPresence & { place: number };

/** The presence that was set through REST in each document: one statement, for all tenants. */
export async function readManualPresence(
  db: Queryable,
  places: PresencePlace[],
  now: number,
): Promise<ManualPresence[][]> {
  if (places.length === 0) return [];
  const asked = places.map((address, place) => ({ ...address, place }));
  const rows = await db.query<ManualRow>(sql`
    SELECT place, presence.user_id AS "userId", COALESCE(presence.name, users.name) AS name,
           status
    FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS asked(
      "tenantId" text, "organizationId" text, "documentId" text, place integer)
    JOIN presence /* all tenants, background */ ON presence.tenant_id = "tenantId"
      AND presence.organization_id = "organizationId" AND presence.document_id = "documentId"
    LEFT JOIN users ON users.tenant_id = presence.tenant_id AND users.user_id = presence.user_id
    WHERE seen_at > ${timedOutBefore(now)} AND status <> 'offline'`);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return places.map((_, place) => byPlace.get(place) ?? []);
}
