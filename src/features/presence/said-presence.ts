import { type Queryable, sql } from '../../platform/database/database.ts';
import { lapsedBefore } from './present-presence.ts';
import type { PresencePlace } from './read-presence.ts';

/** What was said of a user and still holds; who is offline is not among them. */
export interface SaidPresence {
  userId: string;
  name: string | null;
  status: string;
}

type SaidRow = SaidPresence & { place: number };

/** What was said through REST in each of these documents: one statement, of all tenants. */
export async function readSaidPresence(
  db: Queryable,
  places: PresencePlace[],
  now: number,
): Promise<SaidPresence[][]> {
  if (places.length === 0) return [];
  const asked = places.map(({ tenantId, organizationId, documentId }, place) => ({
    tenant_id: tenantId,
    organization_id: organizationId,
    document_id: documentId,
    place,
  }));
  const rows = await db.query<SaidRow>(sql`
    SELECT place, presence.user_id AS "userId", COALESCE(presence.name, users.name) AS name,
           status
    FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS asked(
      tenant_id text, organization_id text, document_id text, place integer)
    JOIN presence /* all tenants */ USING (tenant_id, organization_id, document_id)
    LEFT JOIN users ON users.tenant_id = presence.tenant_id AND users.user_id = presence.user_id
    WHERE seen_at > ${lapsedBefore(now)} AND status <> 'offline'`);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return places.map((_, place) => byPlace.get(place) ?? []);
}
