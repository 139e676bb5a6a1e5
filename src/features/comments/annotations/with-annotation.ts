import type { KeyContext } from '../../../api/context.ts';
import type { NeededRole } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { AppError } from '../../../platform/errors.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import type { NamedUserObject } from '../comment-row.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { placeIn, type Resolve, readUsersEarly } from './ensure-users.ts';
import { toAnnotationQuery } from './filters.ts';
import { annotationNotFound, lockAnnotations } from './lock-annotations.ts';
import { updateAnnotationRows } from './save-annotations.ts';

export interface Target {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
}

/**
 * Runs `work` on one annotation, which stays locked until the transaction ends. A user needs at
 * least this role on its document, and has to see it.
 *
 * @param named the users whom the call names, for `resolve`
 * @throws INVALID_ARGUMENT (organization_not_found, annotation_not_found); PERMISSION_DENIED
 */
export async function withAnnotation<Result>(
  ctx: KeyContext,
  target: Target,
  role: NeededRole,
  named: NamedUserObject[],
  work: (tx: Transaction, annotation: FullAnnotation, resolve: Resolve) => Promise<Result>,
): Promise<Result> {
  const { organizationId, documentId } = await locate(ctx, target);
  const { annotationId } = target;
  const query = toAnnotationQuery({ organizationId, documentId, annotationIds: [annotationId] });
  const viewer = await requireViewer(ctx, query, role);
  return ctx.db.transaction(async (tx) => {
    const place = placeIn({ organizationId, documentId });
    const [[annotation], resolve] = await pipeline([
      lockAnnotations(ctx, tx, query, viewer),
      readUsersEarly(ctx, tx, place, named),
    ]);
    if (annotation) return work(tx, annotation, resolve);
    await requireOrganization(tx, ctx.tenantId, organizationId);
    throw annotationNotFound();
  });
}

/** The annotation's document, looked up unless the caller names it. */
async function locate(ctx: KeyContext, { organizationId, documentId, annotationId }: Target) {
  if (organizationId !== undefined && documentId !== undefined) {
    return { organizationId, documentId };
  }
  const [place] = await ctx.db.query<{ organizationId: string; documentId: string }>(sql`
    SELECT organization_id AS "organizationId", document_id AS "documentId"
    FROM comment_annotations
    WHERE tenant_id = ${ctx.tenantId} AND annotation_id = ${annotationId}`);
  if (place) {
    return {
      organizationId: organizationId ?? place.organizationId,
      documentId: documentId ?? place.documentId,
    };
  }
  if (ctx.userId === undefined) throw annotationNotFound();
  // The answer is the same as for an annotation that the user may not see.
  throw new AppError('PERMISSION_DENIED', 'You have no access to this document.');
}

/** Writes the annotation's own row, after its comments or reactions changed. */
export async function saveAnnotation(
  ctx: KeyContext,
  tx: Transaction,
  annotation: FullAnnotation,
): Promise<void> {
  await updateAnnotationRows(tx, ctx.tenantId, [annotation]);
}
