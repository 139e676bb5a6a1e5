import { isDeepStrictEqual } from 'node:util';
import type { KeyContext } from '../../../api/context.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { FREE_JSON, jsonProblem } from '../../../platform/json.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import { applicableSuggestion } from '../applicable-suggestion.ts';
import type { UpdatedData } from '../input-schemas.ts';
import { requireAllowedVisibility } from '../visibility/private-comments.ts';
import type { Viewer } from '../visibility/rule-sql.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { changeAnnotation } from './change-annotation.ts';
import { toAnnotationQuery } from './filters.ts';
import { lockAnnotations } from './lock-annotations.ts';
import { outcomesOf } from './outcomes.ts';
import { requirePlaces } from './require-places.ts';
import { resolveUsers } from './resolve-users.ts';
import { saveChanges } from './save-changes.ts';
import type { AnnotationOutcome, UpdateAnnotationsInput } from './schema.ts';

/**
 * Changes the annotations that the filters of specification 4.5 find. Editors may change every
 * annotation that they see, but only its author may change who sees it. A suggestion that can be
 * applied cannot be changed here, since it could then be accepted without its edit in the text.
 */
export async function updateAnnotations(
  ctx: KeyContext,
  input: UpdateAnnotationsInput,
): Promise<Record<string, AnnotationOutcome>> {
  const { organizationId, updatedData } = input;
  const query = toAnnotationQuery(input);
  requireAllowedVisibility(ctx, [updatedData.visibility]);
  const viewer = await requireViewer(ctx, query, 'commenter');
  return ctx.db.transaction(async (tx) => {
    const [, found] = await pipeline([
      requireOrganization(tx, ctx.tenantId, organizationId),
      lockAnnotations(ctx, tx, query, viewer),
    ]);
    // Named annotations that are not found have outcomes of their own.
    if (!query.annotationIds) await requirePlaces(ctx, tx, query, found);
    const judged = found.map((row) => ({ row, refusal: refusalOf(viewer, row, updatedData) }));
    const changeable = judged.flatMap(({ row, refusal }) => (refusal === undefined ? row : []));
    const assignee = updatedData.assignedTo ?? undefined;
    const resolverId = updatedData.resolvedByUserId;
    const documentIds = [...new Set(changeable.map((row) => row.documentId))];
    const scope = { organizationId, documentIds };
    const users = await resolveUsers(ctx, tx, scope, [assignee], [resolverId]);
    const resolver = resolverId === undefined ? undefined : users.complete({ userId: resolverId });
    const call = { users, now: ctx.clock.now(), actorId: ctx.userId };
    const changes = changeable.map((row) => changeAnnotation(row, updatedData, call));
    await saveChanges(ctx, tx, changes, {
      actionUser: users.tokenUser ?? resolver,
      triggerNotification: input.triggerNotification,
    });
    return outcomesOf(query.annotationIds, judged, 'Annotation updated.');
  });
}

/** Returns the reason why the annotation may not be changed in this way; undefined if it may. */
function refusalOf(
  viewer: Viewer | undefined,
  row: FullAnnotation,
  update: UpdatedData,
): string | undefined {
  const refusal = viewer && refusalForUser(viewer, row, update);
  if (refusal !== undefined || update.suggestion === undefined) return refusal;
  const before = row.fields.suggestion;
  const after = { ...before, ...update.suggestion };
  if (!isDeepStrictEqual(applicableSuggestion(before), applicableSuggestion(after))) {
    return 'This suggestion can be applied, so only suggestions/accept and suggestions/reject may change it.';
  }
  // Changes are merged, so many small changes could make a suggestion grow without end.
  const problem = jsonProblem(after, FREE_JSON);
  return problem && `The suggestion, as a whole, ${problem}.`;
}

/** Only the author may change who sees an annotation. Users who may only comment may resolve their own. */
function refusalForUser(
  viewer: Viewer,
  row: FullAnnotation,
  update: UpdatedData,
): string | undefined {
  const isAuthor = row.from.userId === viewer.userId;
  if (!isAuthor && changesAudience(update))
    return 'Only the author may change who sees the annotation.';
  const mayEdit = !viewer.commentsOnly.has(row.documentId);
  if (mayEdit || (isAuthor && changesOnlyStatus(update))) return undefined;
  return 'Viewers may change only the status of their own annotations.';
}

const changesAudience = ({ visibility, context }: UpdatedData): boolean =>
  visibility !== undefined || context !== undefined;

const changesOnlyStatus = ({ status, resolvedByUserId, ...others }: UpdatedData): boolean =>
  Object.values(others).every((value) => value === undefined);
