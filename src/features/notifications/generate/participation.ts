import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { SubscriptionRow } from '../../comments/annotation-row.ts';
import type { AnnotationEvent } from './annotation-event.ts';

interface ParticipationRow {
  annotationId: string;
  userId: string;
  /** Null: the user has only read the annotation or been assigned to it, or is a subscriber who was deleted. */
  subscription: SubscriptionRow['subscription'] | null;
  readMs: number;
}

/**
 * Reads how users take part in annotations. The returned function tells, for a user and an event, which
 * subscription to the annotation the user has now, and whether the user has read it since the event.
 */
export async function loadParticipation(db: Queryable, tenantId: string, annotationIds: string[]) {
  const rows = await db.query<ParticipationRow>(sql`
    SELECT annotation_id AS "annotationId", user_id AS "userId", subscription,
           COALESCE(read_at, 0)::float8 AS "readMs"
    FROM annotation_users
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})
      AND (subscription IS NULL OR subscription = 'none' OR read_at IS NOT NULL)`);
  const keyOf = (annotationId: string, userId: string) => JSON.stringify([annotationId, userId]);
  const byKey = new Map(rows.map((row) => [keyOf(row.annotationId, row.userId), row]));
  return (userId: string, { data, createdAt }: AnnotationEvent) => {
    const row: Partial<ParticipationRow> = byKey.get(keyOf(data.annotationId, userId)) ?? {};
    // Users without a row count as subscribers: the statement leaves out subscribers who have read nothing.
    const { subscription = 'auto', readMs = 0 } = row;
    return { subscription, hasRead: readMs > createdAt.getTime() };
  };
}
