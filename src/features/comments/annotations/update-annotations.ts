import type { KeyContext } from '../../../api/context.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import { requirePrivateComments } from '../visibility/private-comments.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { changeAnnotation } from './change-annotation.ts';
import { ensureUsers } from './ensure-users.ts';
import { toAnnotationQuery } from './filters.ts';
import { lockAnnotations } from './lock-annotations.ts';
import { outcomesOf } from './outcomes.ts';
import { requirePlaces } from './require-places.ts';
import { saveChanges } from './save-changes.ts';
import type { AnnotationOutcome, UpdateAnnotationsInput } from './schema.ts';

/**
 * Changes the annotations that the filters of 4.5 find. Editors may change every annotation that
 * they see, but only its author may change who sees it.
 */
export async function updateAnnotations(
  ctx: KeyContext,
  input: UpdateAnnotationsInput,
): Promise<Record<string, AnnotationOutcome>> {
  const { organizationId, updatedData } = input;
  const query = toAnnotationQuery(input);
  requirePrivateComments(ctx, [updatedData.visibility]);
  const viewer = await requireViewer(ctx, query, 'editor');
  return ctx.db.transaction(async (tx) => {
    const [, found] = await pipeline([
      requireOrganization(tx, ctx.tenantId, organizationId),
      lockAnnotations(ctx, tx, query, viewer),
    ]);
    // Named annotations that are not found have outcomes of their own.
    if (!query.annotationIds) await requirePlaces(ctx, tx, query, found);
    const isForAuthors = updatedData.visibility !== undefined || updatedData.context !== undefined;
    const refused = found.filter(
      (row) => viewer && isForAuthors && row.from.userId !== viewer.userId,
    );
    const changing = found.filter((row) => !refused.includes(row));
    const assigned = updatedData.assignedTo ?? undefined;
    const resolverId = updatedData.resolvedByUserId;
    const documentIds = [...new Set(changing.map((row) => row.documentId))];
    const place = { organizationId, documentIds };
    const users = await ensureUsers(ctx, tx, place, [assigned], [resolverId]);
    const resolver = resolverId === undefined ? undefined : users.complete({ userId: resolverId });
    const facts = { users, now: ctx.clock.now(), actorId: ctx.userId };
    const changes = changing.map((row) => changeAnnotation(row, updatedData, facts));
    await saveChanges(ctx, tx, changes, {
      actionUser: users.actor ?? resolver,
      triggerNotification: input.triggerNotification,
    });
    return outcomesOf(query.annotationIds, {
      done: { rows: changing, message: 'Annotation updated.' },
      refused: { rows: refused, message: 'Only its author may change who sees it.' },
    });
  });
}
