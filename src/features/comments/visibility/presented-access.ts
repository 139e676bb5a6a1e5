import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/live-bus/subscribers.ts';
import type { LiveEvent } from '../../../platform/live-bus/topic.ts';
import { namedAnnotations } from '../load-annotations.ts';
import type { PresentedAnnotation } from '../response-schemas.ts';
import type { AnnotationAccess } from './rule.ts';

/** The facts that decide who may see an annotation, except its document, which is the same for all events. */
export interface EventAccess extends Omit<AnnotationAccess, 'documentId'> {
  annotationId: string;
  /** Distinguishes the annotation from a deleted one that had the same id. */
  createdAt: number;
}

/** Extracts the `EventAccess` from an annotation that a read operation or an event presents. */
export function accessOfPresented(presented: unknown): EventAccess {
  const { annotationId, createdAt, from, visibilityConfig, context } =
    presented as PresentedAnnotation;
  const access = context?.access ?? null;
  return { annotationId, createdAt, authorId: from.userId, visibility: visibilityConfig, access };
}

/** The key of an annotation in the result of `latestAccess`. */
export const accessKeyOf = ({ annotationId, createdAt }: EventAccess): string =>
  JSON.stringify([annotationId, createdAt]);

const byKey = (all: EventAccess[]) => new Map(all.map((each) => [accessKeyOf(each), each]));

export const accessOfEvent = (event: LiveEvent): EventAccess => accessOfPresented(event.data);

/**
 * Returns the current `EventAccess` of each annotation that the events are about. If the events are the
 * newest in the log, the last event about an annotation is current. Otherwise, the annotation may have
 * changed since and is looked up.
 */
export async function latestAccess(
  ctx: KeyContext,
  { events, isNewest }: Pick<Slice, 'events' | 'isNewest'>,
): Promise<Map<string, EventAccess>> {
  const latest = byKey(events.map(accessOfEvent));
  if (isNewest || events.length === 0) return latest;
  const annotationIds = [...new Set([...latest.values()].map((each) => each.annotationId))];
  const current = await loadCurrent(ctx, annotationIds);
  const missing = [...latest].flatMap(([key, each]) => (current.has(key) ? [] : each.annotationId));
  const deleted = missing.length === 0 ? [] : await loadDeleted(ctx, events, missing);
  return new Map([...latest, ...deleted, ...current]);
}

async function loadCurrent(
  { db, tenantId }: KeyContext,
  annotationIds: string[],
): Promise<Map<string, EventAccess>> {
  const rows = await db.query<EventAccess>(sql`
    SELECT annotation_id AS "annotationId", created_at::float8 AS "createdAt",
           author_id AS "authorId", visibility, access
    FROM ${namedAnnotations(tenantId, annotationIds)}`);
  return byKey(rows);
}

/** Reads the access to deleted annotations from the events of their deletion. */
async function loadDeleted(
  { db, tenantId }: KeyContext,
  events: LiveEvent[],
  annotationIds: string[],
): Promise<Map<string, EventAccess>> {
  const [first] = events;
  const rows = await db.query<{ data: PresentedAnnotation }>(sql`
    SELECT data FROM events
    WHERE tenant_id = ${tenantId} AND sequence >= ${first?.sequence ?? '0'}::bigint
      AND type = 'comment_annotation.delete' AND data->>'annotationId' = ANY(${annotationIds})
    ORDER BY events.sequence`);
  return byKey(rows.map(({ data }) => accessOfPresented(data)));
}
