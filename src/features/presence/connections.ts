import { type Queryable, sql } from '../../platform/database/database.ts';
import { changePresence, type PresenceDependencies } from './change-presence.ts';
import { inPlace, type PresencePlace, timedOutBefore } from './read-presence.ts';

/** The users who have joined or left a document in this process since this was last recorded. */
export interface Traffic {
  place: PresencePlace;
  joined: string[];
  left: string[];
}

/** Records who has joined and left a document, and publishes the changes of presence. */
export function recordTraffic(
  deps: PresenceDependencies,
  processId: string,
  { place, joined, left }: Traffic,
): Promise<void> {
  const { tenantId, organizationId, documentId } = place;
  const join = sql`
    INSERT INTO presence_connections (tenant_id, organization_id, document_id, user_id, process_id)
    SELECT ${tenantId}, ${organizationId}, ${documentId}, user_id, ${processId}
    FROM unnest(${joined}::text[]) AS joined(user_id) ORDER BY user_id
    ON CONFLICT DO NOTHING`;
  const leave = sql`
    DELETE FROM presence_connections
    WHERE ${inPlace(place)} AND user_id = ANY(${left}) AND process_id = ${processId}`;
  return changePresence(deps, place, [...joined, ...left], [join, leave]);
}

/** Registers a process. Users who are connected to a process that is not registered are not shown. */
export async function registerProcess(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(sql`
    INSERT INTO presence_processes /* background */ (id, seen_at) VALUES (${id}, ${new Date(now)})`);
}

/**
 * Renews the registration of a process, and so all of its connections.
 *
 * @returns false when the process was considered crashed, and its users were published as offline
 */
export async function renewProcess(db: Queryable, id: string, now: number): Promise<boolean> {
  const rows = await db.query(sql`
    UPDATE presence_processes /* background */ SET seen_at = ${new Date(now)}
    WHERE id = ${id} AND NOT is_dead RETURNING id`);
  return rows.length > 0;
}

/** Presence that was set through REST, with a status other than `offline`, and has not timed out. */
export interface ManualPresence {
  userId: string;
  name: string | null;
  status: string;
}

/** Returns, for each place, the presence that was set through REST. */
export async function readManualPresence(db: Queryable, places: PresencePlace[], now: number) {
  if (places.length === 0) return [];
  const requested = places.map((place, index) => ({ ...place, index }));
  const rows = await db.query<ManualPresence & { index: number }>(sql`
    SELECT index, presence.user_id AS "userId", COALESCE(presence.name, users.name) AS name,
           status
    FROM jsonb_to_recordset(${JSON.stringify(requested)}::jsonb) AS requested(
      "tenantId" text, "organizationId" text, "documentId" text, index integer)
    CROSS JOIN LATERAL (
      SELECT * FROM presence /* all tenants, background */
      WHERE tenant_id = "tenantId" AND organization_id = "organizationId"
        AND document_id = "documentId" OFFSET 0
    ) AS presence LEFT JOIN LATERAL (
      SELECT name FROM users
      WHERE tenant_id = presence.tenant_id AND user_id = presence.user_id OFFSET 0
    ) AS users ON true
    WHERE seen_at > ${timedOutBefore(now)} AND status <> 'offline'`);
  const byIndex = Map.groupBy(rows, ({ index }) => index);
  return places.map((_, index) => byIndex.get(index) ?? []);
}
