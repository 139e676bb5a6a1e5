import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import { namedAnnotations, selectAnnotations } from '../load-annotations.ts';
import type { Viewer } from '../visibility/rule-sql.ts';
import type { AnnotationQuery } from './filters.ts';
import { isSelected, selectKeys } from './select-keys.ts';

/** The most annotations that one call may change. */
const MAX_AT_ONCE = 1_000;

/**
 * Locks the annotations that match the query and are visible, in the order of ids, until the
 * transaction ends. A second statement reads them once the locks are held. It leaves out annotations
 * that another transaction has meanwhile changed, if they no longer match or are no longer visible.
 *
 * @throws INVALID_ARGUMENT when there are too many
 */
export async function lockAnnotations(
  ctx: KeyContext,
  tx: Transaction,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
): Promise<FullAnnotation[]> {
  const { annotationIds } = query;
  const condition = isSelected(ctx, query, viewer);
  const keys = annotationIds
    ? sql`
      SELECT a.annotation_id FROM ${namedAnnotations(ctx.tenantId, annotationIds)}
      WHERE ${condition}`
    : selectKeys(ctx, query, viewer, { order: 'asc', after: undefined, limit: MAX_AT_ONCE + 1 });
  const locking = tx.query<{ annotationId: string }>(sql`
    WITH k AS MATERIALIZED (${keys})
    SELECT a.annotation_id AS "annotationId"
    FROM k JOIN comment_annotations a
      ON a.tenant_id = ${ctx.tenantId} AND a.annotation_id = k.annotation_id
    ORDER BY a.annotation_id FOR UPDATE OF a`);
  const [locked, named] = await pipeline([
    locking,
    // The ids are known, so this is sent together with the locking statement, and runs after it.
    annotationIds && selectAnnotations(tx, ctx.tenantId, annotationIds, condition),
  ]);
  if (locked.length > MAX_AT_ONCE) {
    throw invalidArgument(`More than ${MAX_AT_ONCE} annotations match: narrow the filters.`);
  }
  const ids = new Set(locked.map((row) => row.annotationId));
  if (named) return named.filter(({ annotationId }) => ids.has(annotationId));
  return ids.size === 0 ? [] : selectAnnotations(tx, ctx.tenantId, [...ids], condition);
}

export const annotationNotFound = () =>
  invalidArgument('The annotation does not exist.', { reason: 'annotation_not_found' });
