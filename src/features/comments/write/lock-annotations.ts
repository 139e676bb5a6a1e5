import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { type FullAnnotation, fullColumns } from '../annotation-row.ts';
import { isWanted } from '../list/drivers.ts';
import type { Wanted } from '../list/filters.ts';
import { selectKeys } from '../list/select-keys.ts';
import { type Viewer, visibleTo } from '../list/viewer.ts';

/** Annotations that one call changes. */
const MAX_AT_ONCE = 1_000;

/**
 * The annotations that are wanted and visible, held until the transaction is done, in the order of
 * ids. Two statements: they are read once the locks are held, and not as they were before.
 *
 * @throws INVALID_ARGUMENT when there are too many
 */
export async function lockAnnotations(
  ctx: KeyContext,
  tx: Transaction,
  wanted: Wanted,
  viewer: Viewer | undefined,
): Promise<FullAnnotation[]> {
  const keys = wanted.annotationIds
    ? sql`
      SELECT a.annotation_id FROM comment_annotations a
      WHERE a.tenant_id = ${ctx.tenantId} AND a.annotation_id = ANY(${wanted.annotationIds})
        AND a.organization_id = ${wanted.organizationId}
        ${isWanted(ctx.tenantId, { ...wanted, annotationIds: null })}`
    : selectKeys(ctx, wanted, viewer, {
        order: 'asc',
        after: undefined,
        limit: MAX_AT_ONCE + 1,
      });
  const locked = await tx.query<{ annotationId: string }>(sql`
    WITH k AS MATERIALIZED (${keys})
    SELECT a.annotation_id AS "annotationId"
    FROM k JOIN comment_annotations a
      ON a.tenant_id = ${ctx.tenantId} AND a.annotation_id = k.annotation_id
    WHERE TRUE ${visibleTo(ctx, viewer)}
    ORDER BY a.annotation_id FOR UPDATE OF a`);
  if (locked.length > MAX_AT_ONCE) throw tooMany();
  if (locked.length === 0) return [];
  const ids = locked.map((row) => row.annotationId);
  return tx.query<FullAnnotation>(sql`
    SELECT ${fullColumns(ctx.tenantId)} FROM comment_annotations a
    WHERE a.tenant_id = ${ctx.tenantId} AND a.annotation_id = ANY(${ids})
    ORDER BY a.annotation_id`);
}

const tooMany = () =>
  invalidArgument(`More than ${MAX_AT_ONCE} annotations match: narrow the filters.`);

export const annotationNotFound = () =>
  invalidArgument('The annotation does not exist.', { reason: 'annotation_not_found' });
