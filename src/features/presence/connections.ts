import { type Queryable, sql } from '../../platform/database/database.ts';
import { changePresence, type PresenceParts } from './change-presence.ts';
import type { PresencePlace } from './read-presence.ts';

/** A user who has a document open in this process. */
export interface ConnectedUser extends PresencePlace {
  userId: string;
}

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
    INSERT INTO presence_connections (tenant_id, organization_id, document_id, user_id, process_id,
      seen_at)
    SELECT ${tenantId}, ${organizationId}, ${documentId}, user_id, ${processId},
           ${new Date(parts.clock.now())}
    FROM unnest(${joined}::text[]) AS joined(user_id) ORDER BY user_id
    ON CONFLICT (tenant_id, organization_id, document_id, user_id, process_id)
    DO UPDATE SET seen_at = excluded.seen_at`;
  const leave = sql`
    DELETE FROM presence_connections
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND user_id = ANY(${left}) AND process_id = ${processId}`;
  return changePresence(parts, place, [...joined, ...left], [join, leave]);
}

/** Says that all of them are still there: one statement for the process, of all tenants. */
export async function renewConnections(
  db: Queryable,
  processId: string,
  users: ConnectedUser[],
  now: number,
): Promise<void> {
  if (users.length === 0) return;
  const rows = users.map(({ tenantId, organizationId, documentId, userId }) => ({
    tenant_id: tenantId,
    organization_id: organizationId,
    document_id: documentId,
    user_id: userId,
  }));
  await db.query(sql`
    INSERT INTO presence_connections /* all tenants */ (tenant_id, organization_id, document_id,
      user_id, process_id, seen_at)
    SELECT tenant_id, organization_id, document_id, user_id, ${processId}, ${new Date(now)}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS connected(
      tenant_id text, organization_id text, document_id text, user_id text)
    ORDER BY tenant_id, organization_id, document_id, user_id
    ON CONFLICT (tenant_id, organization_id, document_id, user_id, process_id)
    DO UPDATE SET seen_at = excluded.seen_at`);
}
