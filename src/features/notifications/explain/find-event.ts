import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { type AnnotationEvent, isAnnotationEvent } from '../generate/annotation-event.ts';

/** The number of the tenant's newest events that are looked through. */
const MAX_SCANNED = 20_000;

interface Asked {
  organizationId: string;
  documentId: string;
  annotationId: string;
  eventId: string | undefined;
}

/**
 * An event of an annotation: the one with this id, else the newest that asked for notifications,
 * else the newest of all.
 */
export async function findEvent(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  { organizationId, documentId, annotationId, eventId }: Asked,
): Promise<AnnotationEvent | undefined> {
  const searched =
    eventId === undefined
      ? sql`ORDER BY e.sequence DESC LIMIT ${MAX_SCANNED}`
      : sql`AND e.id = ${eventId}`;
  const rows = await db.query<LoggedEvent>(sql`
    WITH searched AS MATERIALIZED (
      SELECT e.* FROM events e WHERE e.tenant_id = ${tenantId} ${searched}
    ), placed AS MATERIALIZED (
      SELECT * FROM searched
      WHERE organization_id = ${organizationId} AND document_id = ${documentId}
        AND type ~ '^comment(_annotation)?\\.'
    )
    SELECT tenant_id AS "tenantId", sequence::text, id, type, organization_id AS "organizationId",
           document_id AS "documentId", channels, data, created_at AS "createdAt"
    FROM placed WHERE data->>'annotationId' = ${annotationId}
    ORDER BY COALESCE((data->>'triggerNotification')::boolean, false) DESC, placed.sequence DESC
    LIMIT 1`);
  return rows.find(isAnnotationEvent);
}
