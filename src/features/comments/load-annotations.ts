import { type Queryable, sql } from '../../platform/database/database.ts';
import { type FullAnnotation, fullColumns } from './annotation-row.ts';
import { presentAnnotation } from './present.ts';
import type { PresentedAnnotation } from './presented.ts';

/** Reads annotations by id, in the order of their ids. */
export const selectAnnotations = (
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<FullAnnotation[]> =>
  db.query<FullAnnotation>(sql`
    SELECT ${fullColumns(tenantId)} FROM comment_annotations a
    WHERE a.tenant_id = ${tenantId} AND a.annotation_id = ANY(${annotationIds})
    ORDER BY a.annotation_id`);

/** Loads annotations by id as presented, without checking who may see them, by one statement. */
export async function loadPresentedAnnotations(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<Map<string, PresentedAnnotation>> {
  if (annotationIds.length === 0) return new Map();
  const rows = await selectAnnotations(db, tenantId, annotationIds);
  return new Map(rows.map((row) => [row.annotationId, presentAnnotation(tenantId, row)]));
}
