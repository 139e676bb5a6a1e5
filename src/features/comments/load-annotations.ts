import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { namedRows } from '../../platform/database/named-rows.ts';
import { type FullAnnotation, fullColumns } from './annotation-row.ts';
import { presentAnnotation } from './present-annotation.ts';
import type { PresentedAnnotation } from './response-schemas.ts';

/** SQL: the annotations with these ids, in the order of their ids, as a table `a`; see `namedRows`. */
export const namedAnnotations = (tenantId: string, annotationIds: string[]): Sql => sql`
  ${namedRows({
    table: sql`comment_annotations`,
    where: sql`tenant_id = ${tenantId}`,
    idColumn: sql`annotation_id`,
    ids: annotationIds,
  })} a`;

/**
 * Reads annotations by id, in the order of their ids.
 *
 * @param condition SQL: a condition on the annotation `a`
 */
export const selectAnnotations = (
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
  condition = sql`true`,
): Promise<FullAnnotation[]> =>
  db.query<FullAnnotation>(sql`
    SELECT ${fullColumns(tenantId)} FROM ${namedAnnotations(tenantId, annotationIds)}
    WHERE ${condition} ORDER BY a.annotation_id`);

/** Loads annotations by id, as responses present them, with one statement. Does not check who may see them. */
export async function loadPresentedAnnotations(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<Map<string, PresentedAnnotation>> {
  if (annotationIds.length === 0) return new Map();
  const rows = await selectAnnotations(db, tenantId, annotationIds);
  return new Map(rows.map((row) => [row.annotationId, presentAnnotation(tenantId, row)]));
}
