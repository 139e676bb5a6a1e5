import { lastOfEach } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { timeOf, timesOf } from '../../../api/imported-times.ts';
import { newId } from '../../../platform/ids.ts';
import type { AnnotationRow, CommentRow, FullAnnotation, ReactionRow } from '../annotation-row.ts';
import type { AnnotationInput } from '../input-schemas.ts';
import { locationIdOf } from '../locations.ts';
import { completeStatus } from '../statuses.ts';
import { visibilityOf } from '../visibility/private-comments.ts';
import { autoSubscriptionsOf, mergeSubscriptions } from './annotation-users.ts';
import { buildComments, newestOf } from './build-comments.ts';
import type { ResolvedUsers } from './resolve-users.ts';

/** The facts about a new annotation that are not in the caller's input. */
interface BuildContext {
  place: { organizationId: string; documentId: string; folderId: string | null };
  /** The users whom the input names. */
  users: ResolvedUsers;
  now: number;
  annotationNumber: number;
  /** The path of the annotation in the input, for error messages. */
  path: string;
}

/** Builds a new annotation. Its author is the author of its first comment. */
export function buildAnnotation(
  ctx: KeyContext,
  input: AnnotationInput & { annotationId: string },
  { place, users, now, annotationNumber, path }: BuildContext,
): FullAnnotation {
  const from = users.author(input.commentData[0]?.from, `${path}.commentData[0].from`);
  const builtComments = buildComments(ctx, input.commentData, {
    users,
    now,
    nextId: 1,
    path: `${path}.commentData`,
  });
  const last = newestOf(builtComments.rows);
  const status = completeStatus(input.status);
  const row: AnnotationRow = {
    ...place,
    annotationId: input.annotationId,
    annotationNumber,
    type: input.type,
    from,
    status,
    resolvedBy:
      status.type === 'terminal' && !users.tokenUser ? (input.resolvedByUserId ?? null) : null,
    visibility: visibilityOf(input.visibility, place.organizationId),
    access: input.context?.access ?? null,
    fields: buildFields(input, users),
    nextCommentId: builtComments.nextId,
    ...annotationTimes(ctx, input, { rows: builtComments.rows, now, path }),
    lastCommentAt: last?.createdAt ?? now,
    lastCommentBy: last?.from.userId ?? from.userId,
  };
  const subscriptions = mergeSubscriptions([], autoSubscriptionsOf(builtComments.rows));
  const reactions = users.tokenUser ? [] : buildReactions(ctx, input, { users, now, path });
  return { ...row, comments: builtComments.rows, reactions, subscriptions };
}

/** Returns the given times, or else the times of the oldest and the newest comment. */
function annotationTimes(
  ctx: KeyContext,
  { createdAt, lastUpdated }: AnnotationInput,
  { rows, now, path }: { rows: CommentRow[]; now: number; path: string },
) {
  const oldest = Math.min(...rows.map((row) => row.createdAt));
  const newest = Math.max(...rows.map((row) => row.lastUpdated));
  const created = createdAt ?? oldest;
  const times = { createdAt: created, lastUpdated: lastUpdated ?? Math.max(created, newest) };
  return timesOf(ctx, times, { now, path });
}

/** Builds reactions, sorted as reads return them. Reactions to a comment with the same icon share an id. */
function buildReactions(
  ctx: KeyContext,
  { reactions = [] }: AnnotationInput,
  { users, now, path }: Pick<BuildContext, 'users' | 'now' | 'path'>,
): ReactionRow[] {
  const keyOf = ({ commentId, icon }: { commentId: number; icon: string }) =>
    JSON.stringify([commentId, icon]);
  const ids = new Map(reactions.map((reaction) => [keyOf(reaction), newId()]));
  const rows = reactions.map(({ commentId, icon, from, lastUpdated }, index): ReactionRow => {
    const field = `${path}.reactions[${index}].lastUpdated`;
    return {
      commentId,
      icon,
      reactionId: ids.get(keyOf({ commentId, icon })) ?? newId(),
      user: users.complete(from),
      lastUpdated: timeOf(ctx, lastUpdated, { now, path: field }),
    };
  });
  return lastOfEach(rows, (row) => JSON.stringify([keyOf(row), row.user.userId])).sort(
    (a, b) =>
      a.commentId - b.commentId ||
      a.lastUpdated - b.lastUpdated ||
      (a.user.userId < b.user.userId ? -1 : 1),
  );
}

function buildFields(input: AnnotationInput, users: ResolvedUsers): AnnotationRow['fields'] {
  const { location, assignedTo, priority, suggestion, customList } = input;
  const { pageInfo, metadata, subscribedGroups } = input;
  return omitUndefined({
    location,
    locationId: locationIdOf(input),
    assignedTo: assignedTo && users.complete(assignedTo),
    priority,
    suggestion,
    customList,
    pageInfo,
    isByUser: pageInfo && users.tokenUser ? true : undefined,
    metadata,
    subscribedGroups,
    agent: users.agent(input.commentData[0]?.agent),
  });
}

/** Omits undefined fields, so that events show an annotation exactly as later reads do. */
export const omitUndefined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
