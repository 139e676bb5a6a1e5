import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { NamedUserObject } from '../comment-row.ts';
import { presentAnnotation } from '../present.ts';
import { requirePrivateComments } from '../visibility/private-comments.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { annotationEvent, wantsNotification } from './annotation-event.ts';
import { type Change, changeAnnotation } from './change-annotation.ts';
import { ensureUsers } from './ensure-users.ts';
import { toAnnotationQuery } from './filters.ts';
import { lockAnnotations } from './lock-annotations.ts';
import { outcomesOf } from './outcomes.ts';
import { requirePlaces } from './require-places.ts';
import { updateAnnotationRows } from './save-annotations.ts';
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
    await save(ctx, tx, input, changes, users.actor ?? resolver);
    return outcomesOf(query.annotationIds, {
      done: { rows: changing, message: 'Annotation updated.' },
      refused: { rows: refused, message: 'Only its author may change who sees it.' },
    });
  });
}

async function save(
  ctx: KeyContext,
  tx: Transaction,
  { triggerNotification }: UpdateAnnotationsInput,
  changes: Change[],
  actionUser: NamedUserObject | undefined,
): Promise<void> {
  const different = changes.filter((change) => change.types.length > 0);
  const rows = different.map((change) => change.after);
  await updateAnnotationRows(tx, ctx.tenantId, rows);
  const circumstances = {
    actionUser,
    triggerNotification: wantsNotification(ctx, triggerNotification),
  };
  const events = different.values().flatMap(({ before, after, types }) => {
    const previous = presentAnnotation(ctx.tenantId, before);
    return types.map((type) => annotationEvent(ctx, type, after, { ...circumstances, previous }));
  });
  await ctx.events.append(tx, ctx.tenantId, events);
}
