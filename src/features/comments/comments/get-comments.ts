import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { requireReadableOrganization } from '../../directory/organizations/organizations.ts';
import { type FullAnnotation, fullColumns } from '../annotation-row.ts';
import { annotationNotFound } from '../annotations/lock-annotations.ts';
import { presentAnnotation } from '../present-annotation.ts';
import type { PresentedComment } from '../response-schemas.ts';
import { showAnnotation } from '../show-annotation.ts';
import { visibleTo } from '../visibility/rule-sql.ts';
import { requireViewer } from '../visibility/viewer.ts';
import type { GetCommentsInput } from './schema.ts';

/** Returns the comments of an annotation in the order of their ids: all of them, or the named ones. */
export async function getComments(
  ctx: KeyContext,
  { organizationId, documentId, annotationId, commentIds }: GetCommentsInput,
): Promise<PresentedComment[]> {
  const places = { organizationId, documentIds: [documentId], folderIds: null };
  const viewer = await requireViewer(ctx, places, 'viewer');
  const [annotation] = await ctx.db.query<FullAnnotation>(sql`
    SELECT ${fullColumns(ctx.tenantId)} FROM comment_annotations a
    WHERE a.tenant_id = ${ctx.tenantId} AND a.annotation_id = ${annotationId}
      AND a.organization_id = ${organizationId} AND a.document_id = ${documentId}
      ${visibleTo(ctx, viewer)}`);
  if (!annotation) {
    await requireReadableOrganization(ctx.db, ctx.tenantId, organizationId);
    throw annotationNotFound();
  }
  const { comments } = showAnnotation(ctx, presentAnnotation(ctx.tenantId, annotation));
  return comments.filter(({ commentId }) => commentIds?.includes(commentId) ?? true);
}
