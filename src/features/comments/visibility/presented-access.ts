import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/live-bus/subscriber-cursor.ts';
import type { LiveEvent } from '../../../platform/live-bus/topic.ts';
import type { Visibility } from '../annotation-row.ts';

/** The fields that decide who may see an annotation, as read operations and events present them. */
export interface PresentedAccess {
  annotationId: string;
  from: { userId: string };
  visibilityConfig: Visibility;
  context?: { access: Record<string, string[]> } | undefined;
}

export const accessIn = (event: LiveEvent): PresentedAccess => event.data as PresentedAccess;

/**
 * The newest access of each annotation that the events are about. The newest events of the log
 * already hold it: the last one of each annotation counts. Older events were read from the log, and
 * the annotations may have changed since, so these are looked up.
 */
export async function latestAccess(
  ctx: KeyContext,
  { events, isNewest }: Pick<Slice, 'events' | 'isNewest'>,
): Promise<Map<string, PresentedAccess>> {
  const latest = new Map(events.map((event) => [accessIn(event).annotationId, accessIn(event)]));
  if (isNewest || events.length === 0) return latest;
  const present = await loadPresent(ctx, [...latest.keys()]);
  const missing = [...latest.keys()].filter((annotationId) => !present.has(annotationId));
  const deleted = missing.length === 0 ? [] : await loadDeleted(ctx, events, missing);
  return new Map([...latest, ...deleted, ...present]);
}

interface AccessRow {
  annotationId: string;
  from: { userId: string };
  visibilityConfig: Visibility;
  access: Record<string, string[]> | null;
}

async function loadPresent(
  { db, tenantId }: KeyContext,
  annotationIds: string[],
): Promise<Map<string, PresentedAccess>> {
  const rows = await db.query<AccessRow>(sql`
    SELECT annotation_id AS "annotationId", json_build_object('userId', author_id) AS "from",
           visibility AS "visibilityConfig", access
    FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})`);
  return new Map(
    rows.map(({ access, ...row }) => [
      row.annotationId,
      { ...row, context: access ? { access } : undefined },
    ]),
  );
}

/** The access of deleted annotations, as their deletion left it in the log. */
async function loadDeleted(
  { db, tenantId }: KeyContext,
  events: LiveEvent[],
  annotationIds: string[],
): Promise<Array<[string, PresentedAccess]>> {
  const [first] = events;
  const rows = await db.query<{ data: PresentedAccess }>(sql`
    SELECT data FROM events
    WHERE tenant_id = ${tenantId} AND sequence >= ${first?.sequence ?? '0'}::bigint
      AND type = 'comment_annotation.delete' AND data->>'annotationId' = ANY(${annotationIds})
    ORDER BY events.sequence`);
  return rows.map(({ data }) => [data.annotationId, data]);
}
