import { type Queryable, sql } from '../../platform/database/database.ts';
import { changePresence, type PresenceParts } from './change-presence.ts';
import { inPlace, type PresencePlace } from './read-presence.ts';

/** The users who connected to a document of this process or left it since the last record. */
export interface Traffic {
  place: PresencePlace;
  joined: string[];
  left: string[];
}

/** Records connections and publishes the changes of presence: one transaction for each document. */
export function recordTraffic(
  parts: PresenceParts,
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
  return changePresence(parts, place, [...joined, ...left], [join, leave]);
}

/** Registers a process. Users who are connected to an unregistered process are not shown. */
export async function registerProcess(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(sql`
    INSERT INTO presence_processes /* background */ (id, seen_at) VALUES (${id}, ${new Date(now)})`);
}

/**
 * Renews all connections of the process.
 *
 * @returns false when the process was considered crashed, and its users were published as offline
 */
export async function renewProcess(db: Queryable, id: string, now: number): Promise<boolean> {
  const rows = await db.query(sql`
    UPDATE presence_processes /* background */ SET seen_at = ${new Date(now)}
    WHERE id = ${id} AND NOT is_dead RETURNING id`);
  return rows.length > 0;
}
