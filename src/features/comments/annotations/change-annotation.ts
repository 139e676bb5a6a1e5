import { isDeepStrictEqual } from 'node:util';
import type { FullAnnotation } from '../annotation-row.ts';
import type { UpdatedData } from '../input-schemas.ts';
import { locationIdOf } from '../locations.ts';
import { completeStatus, decisionOfStatus } from '../statuses.ts';
import { visibilityOf } from '../visibility/private-comments.ts';
import type { AnnotationEventType } from './annotation-event.ts';
import { omitUndefined } from './build-annotation.ts';
import type { ResolvedUsers } from './resolve-users.ts';

export interface Change {
  before: FullAnnotation;
  after: FullAnnotation;
  /** The types of the events to publish; empty if nothing changed. */
  types: AnnotationEventType[];
}

/** Applies the given fields to the annotation, and determines which events the changes need. */
export function changeAnnotation(
  before: FullAnnotation,
  update: UpdatedData,
  { users, now, actorId }: { users: ResolvedUsers; now: number; actorId: string | undefined },
): Change {
  const status = update.status ? completeStatus(update.status) : before.status;
  const after: FullAnnotation = {
    ...before,
    status,
    resolvedBy: status.type === 'terminal' ? resolverOf(before, update, actorId) : null,
    visibility: update.visibility
      ? visibilityOf(update.visibility, before.organizationId)
      : before.visibility,
    access: update.context === undefined ? before.access : (update.context?.access ?? null),
    fields: changedFields(before, update, users),
  };
  const types = eventTypesOf(before, after);
  if (types.length === 0) return { before, after: before, types };
  return { before, after: { ...after, lastUpdated: Math.max(now, before.lastUpdated) }, types };
}

/**
 * Returns the id of the user who resolved an annotation. It stays the same unless the call gives a status
 * or a resolver. With a user token, the new resolver is the user of the token.
 */
function resolverOf(
  before: FullAnnotation,
  { status, resolvedByUserId }: UpdatedData,
  actorId: string | undefined,
): string | null {
  if (status === undefined && resolvedByUserId === undefined) return before.resolvedBy;
  return actorId ?? resolvedByUserId ?? before.resolvedBy;
}

function changedFields(
  { fields }: FullAnnotation,
  update: UpdatedData,
  users: ResolvedUsers,
): FullAnnotation['fields'] {
  const { assignedTo, priority, suggestion, customList, location } = update;
  const isMoved = location !== undefined || update.locationId !== undefined;
  return omitUndefined({
    ...fields,
    ...(location && { location }),
    ...(isMoved && { locationId: locationIdOf(update) }),
    ...(assignedTo !== undefined && {
      assignedTo: assignedTo ? users.complete(assignedTo) : undefined,
    }),
    ...(priority !== undefined && { priority: priority ?? undefined }),
    ...(suggestion && { suggestion: { ...fields.suggestion, ...suggestion } }),
    // An absent list is presented as an empty one, so the two are equal.
    ...(customList && areDifferent(customList, fields.customList ?? []) && { customList }),
  });
}

const areDifferent = (one: unknown, other: unknown) => !isDeepStrictEqual(one, other);

function eventTypesOf(before: FullAnnotation, after: FullAnnotation): AnnotationEventType[] {
  const old = before.fields;
  const current = after.fields;
  const types: AnnotationEventType[] = [];
  if (areDifferent(before.status, after.status) || before.resolvedBy !== after.resolvedBy) {
    types.push('comment_annotation.status_change');
    const decision =
      before.status.id === after.status.id ? undefined : decisionOfStatus(after.status);
    if (decision) types.push(`comment_annotation.${decision}`);
  }
  if (areDifferent(old.assignedTo, current.assignedTo)) types.push('comment_annotation.assign');
  if (areDifferent(old.priority, current.priority))
    types.push('comment_annotation.priority_change');
  if (areDifferent([before.visibility, before.access], [after.visibility, after.access])) {
    types.push('comment_annotation.access_mode_change');
  }
  if (areDifferent(old.customList, current.customList))
    types.push('comment_annotation.custom_list_change');
  types.push(...suggestionEventTypes(old.suggestion, current.suggestion));
  // Other fields, such as the location or a suggestion's text, have no event type of their own.
  if (types.length === 0 && areDifferent(old, current)) types.push('comment.update');
  return types;
}

function suggestionEventTypes(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): AnnotationEventType[] {
  if (before?.status === after?.status) return [];
  const status = String(after?.status).toLowerCase();
  if (status === 'accepted') return ['comment_annotation.suggestion_accept'];
  return status === 'rejected' ? ['comment_annotation.suggestion_reject'] : [];
}
