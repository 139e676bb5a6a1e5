import type { KeyContext } from '../../../api/context.ts';
import { empty, sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { eventsAt } from '../../../platform/events/logged-events.ts';
import { type AnnotationEvent, isAnnotationEvent } from '../generate/annotation-event.ts';

/** The number of the tenant's newest events that are searched. */
const MAX_SCANNED = 20_000;

/** The annotation of an event, and the id of the event if it is known. */
export interface EventQuery {
  organizationId: string;
  documentId: string;
  annotationId: string;
  eventId: string | undefined;
}

/**
 * Returns an event of an annotation: the one with this id, else the newest that asked for
 * notifications, else the newest of all; undefined if no event of the annotation is stored any longer.
 * Events of a deleted annotation are found until another annotation has its id.
 *
 * @throws INVALID_ARGUMENT (annotation_not_found, event_not_found)
 */
export async function findEvent(
  { db, tenantId }: KeyContext,
  { organizationId, documentId, annotationId, eventId }: EventQuery,
): Promise<AnnotationEvent | undefined> {
  const [annotation] = await db.query<{ createdAt: string }>(sql`
    SELECT created_at::text AS "createdAt" FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ${annotationId}
      AND organization_id = ${organizationId} AND document_id = ${documentId}`);
  const ofAnnotation = annotation ? sql`AND data->>'createdAt' = ${annotation.createdAt}` : empty;
  const byIdOrNewest =
    eventId === undefined
      ? sql`ORDER BY e.sequence DESC LIMIT ${MAX_SCANNED}`
      : sql`AND e.id = ${eventId}`;
  const rows = await db.query<{ sequence: string }>(sql`
    WITH searched AS MATERIALIZED (
      SELECT e.* FROM events e WHERE e.tenant_id = ${tenantId} ${byIdOrNewest}
    ), placed AS MATERIALIZED (
      SELECT * FROM searched
      WHERE organization_id = ${organizationId} AND document_id = ${documentId}
        AND type ~ '^comment(_annotation)?\\.'
    )
    SELECT sequence::text FROM placed WHERE data->>'annotationId' = ${annotationId} ${ofAnnotation}
    ORDER BY COALESCE((data->>'triggerNotification')::boolean, false) DESC, placed.sequence DESC
    LIMIT 1`);
  const events = await eventsAt(
    db,
    rows.map(({ sequence }) => ({ tenantId, sequence })),
  );
  const event = events.find(isAnnotationEvent);
  if (event) return event;
  if (!annotation) {
    throw invalidArgument('The annotation does not exist.', { reason: 'annotation_not_found' });
  }
  if (eventId === undefined) return undefined;
  const message = 'The annotation has no event with this id, or the event is no longer stored.';
  throw invalidArgument(message, { reason: 'event_not_found' });
}
