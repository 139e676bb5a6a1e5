import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/live-bus/follower.ts';
import type { LiveEvent } from '../../../platform/live-bus/topic.ts';
import type { Visibility } from '../annotation-row.ts';

/** What of an annotation decides who sees it, as it is presented. */
export interface ShownState {
  annotationId: string;
  from: { userId: string };
  visibilityConfig: Visibility;
  context?: { access: Record<string, string[]> } | undefined;
}

export const stateIn = (event: LiveEvent): ShownState => event.data as ShownState;

/**
 * Who may see each annotation now, of which events tell how it was. Events that wait in memory are
 * the newest, so the last of them says it. What was read from further back is compared with the
 * annotations themselves.
 */
export async function latestStates(
  ctx: KeyContext,
  { events, isNewest }: Slice,
): Promise<Map<string, ShownState>> {
  const states = new Map(events.map((event) => [stateIn(event).annotationId, stateIn(event)]));
  if (isNewest || events.length === 0) return states;
  const present = await presentStates(ctx, [...states.keys()]);
  const missing = [...states.keys()].filter((annotationId) => !present.has(annotationId));
  const deleted = missing.length === 0 ? [] : await deletedStates(ctx, events, missing);
  return new Map([...states, ...deleted, ...present]);
}

interface StateRow {
  annotationId: string;
  from: { userId: string };
  visibilityConfig: Visibility;
  access: Record<string, string[]> | null;
}

async function presentStates(
  { db, tenantId }: KeyContext,
  annotationIds: string[],
): Promise<Map<string, ShownState>> {
  const rows = await db.query<StateRow>(sql`
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

/** As they were when they were deleted, which the log tells. */
async function deletedStates(
  { db, tenantId }: KeyContext,
  events: LiveEvent[],
  annotationIds: string[],
): Promise<Array<[string, ShownState]>> {
  const [first] = events;
  const rows = await db.query<{ data: ShownState }>(sql`
    SELECT data FROM events
    WHERE tenant_id = ${tenantId} AND sequence >= ${first?.sequence ?? '0'}::bigint
      AND type = 'comment_annotation.delete' AND data->>'annotationId' = ANY(${annotationIds})
    ORDER BY events.sequence`);
  return rows.map(({ data }) => [data.annotationId, data]);
}
