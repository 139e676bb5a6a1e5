import { type Queryable, sql } from '../../platform/database/database.ts';
import { type FullAnnotation, fullColumns } from './annotation-row.ts';
import { presentAnnotation } from './present.ts';
import type { PresentedAnnotation } from './presented.ts';

/** Presents annotations by id, without asking who may see them: one statement, none for no ids. */
export async function loadAnnotations(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<Map<string, PresentedAnnotation>> {
  if (annotationIds.length === 0) return new Map();
  const rows = await db.query<FullAnnotation>(sql`
    SELECT ${fullColumns(tenantId)} FROM comment_annotations a
    WHERE a.tenant_id = ${tenantId} AND a.annotation_id = ANY(${annotationIds})`);
  return new Map(rows.map((row) => [row.annotationId, presentAnnotation(tenantId, row)]));
}
