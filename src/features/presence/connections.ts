import { type Queryable, sql } from '../../platform/database/database.ts';
import { changePresence, type PresenceParts } from './change-presence.ts';
import type { PresencePlace } from './read-presence.ts';

/** Who came to a document of this process, and who left it, since it was last told. */
export interface Traffic {
  place: PresencePlace;
  joined: string[];
  left: string[];
}

/** Records it, and tells of those whose presence it changes: one transaction for each document. */
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
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND user_id = ANY(${left}) AND process_id = ${processId}`;
  return changePresence(parts, place, [...joined, ...left], [join, leave]);
}

/** A process that people will be connected to. Until it is, they are not shown. */
export async function registerProcess(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(sql`
    INSERT INTO presence_processes (id, seen_at) VALUES (${id}, ${new Date(now)})`);
}

/**
 * Says that all who are connected to the process still are.
 *
 * @returns false when it was taken for dead: its people were told to be gone
 */
export async function renewProcess(db: Queryable, id: string, now: number): Promise<boolean> {
  const rows = await db.query(sql`
    UPDATE presence_processes SET seen_at = ${new Date(now)} WHERE id = ${id} AND NOT is_dead
    RETURNING id`);
  return rows.length > 0;
}
