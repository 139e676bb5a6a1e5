import type { KeyContext } from '../../../api/context.ts';
import { among } from '../../../api/paging.ts';
import { sql } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { deleteNamedAttachments, unlinkAnnotations } from '../../attachments/named-attachments.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { annotationEvent } from './annotation-event.ts';
import { toAnnotationQuery } from './filters.ts';
import { lockAnnotations } from './lock-annotations.ts';
import { outcomesOf } from './outcomes.ts';
import { requirePlaces } from './require-places.ts';
import type { AnnotationOutcome, DeleteAnnotationsInput } from './schema.ts';

/** Deletes the annotations that the filters of specification 4.5 find. Users may delete only their own. */
export async function deleteAnnotations(
  ctx: KeyContext,
  input: DeleteAnnotationsInput,
): Promise<Record<string, AnnotationOutcome>> {
  const query = toAnnotationQuery(input);
  const viewer = await requireViewer(ctx, query, 'commenter');
  return ctx.db.transaction(async (tx) => {
    const [, found] = await pipeline([
      requireOrganization(tx, ctx.tenantId, input.organizationId),
      lockAnnotations(ctx, tx, query, viewer),
    ]);
    // Named annotations that are not found have outcomes of their own.
    if (!query.annotationIds) await requirePlaces(ctx, tx, query, found);
    const judged = found.map((row) => {
      const mayDelete = viewer === undefined || row.from.userId === viewer.userId;
      return { row, refusal: mayDelete ? undefined : 'Only the author may delete the annotation.' };
    });
    const deleted = judged.flatMap(({ row, refusal }) => (refusal === undefined ? row : []));
    const ids = deleted.map((row) => row.annotationId);
    if (ids.length > 0) {
      tx.beforeCommit(sql`
        DELETE FROM comment_annotations
        WHERE tenant_id = ${ctx.tenantId} ${among(sql`annotation_id`, ids)}`);
    }
    const withContents = deleted.map((row) => ({
      ...row,
      contents: row.comments.map(({ content }) => content),
    }));
    deleteNamedAttachments(ctx, tx, withContents);
    unlinkAnnotations(tx, ctx.tenantId, withContents);
    const actionUser = viewer && { userId: viewer.userId };
    const events = deleted.values().map((row) =>
      annotationEvent(ctx, 'comment_annotation.delete', row, {
        actionUser,
        triggerNotification: false,
      }),
    );
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomesOf(query.annotationIds, judged, 'Annotation deleted.');
  });
}
