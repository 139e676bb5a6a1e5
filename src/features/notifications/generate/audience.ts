import type { NamedUserObject } from '../../comments/comment-row.ts';
import type { PresentedComment } from '../../comments/presented.ts';
import { type AnnotationEvent, type AnnotationEventData, commentsOf } from './annotation-event.ts';

/** The reasons to notify a user of an event, the strongest first. */
export const REASONS = ['mentioned', 'assigned', 'subscribed'] as const;
export type Reason = (typeof REASONS)[number];

/** A user whom an event concerns, or all members of a group of the organization. */
export type AudienceMember = { reason: Reason } & (
  | { user: NamedUserObject; groupId?: undefined }
  | { user?: undefined; groupId: string }
);

/**
 * The users and groups whom an event concerns, the strongest reasons first, without asking what they
 * may see. Only mentions that the comments did not contain before the event count as mentions.
 */
export function audienceOf(event: AnnotationEvent): AudienceMember[] {
  const { data } = event;
  if (!data.triggerNotification || isAboutDrafts(data)) return [];
  const { assignedTo } = data;
  const subscribed = Object.values(data.subscribedUsers).map(({ user }) => user);
  return [
    ...newlyMentioned(event),
    ...(assignedTo ? [{ reason: 'assigned' as const, user: assignedTo }] : []),
    ...subscribed.map((user) => ({ reason: 'subscribed' as const, user })),
    ...Object.entries(data.subscribedGroups ?? {}).map(([key, group]) => ({
      reason: 'subscribed' as const,
      groupId: groupIdOf(group) ?? key,
    })),
  ];
}

const isAboutDrafts = (data: AnnotationEventData): boolean =>
  (data.commentIds ?? []).length > 0 && commentsOf(data).length === 0;

const MENTIONING = new Set(['comment_annotation.add', 'comment.add', 'comment.update']);

function newlyMentioned({ type, data }: AnnotationEvent): AudienceMember[] {
  if (!MENTIONING.has(type)) return [];
  const before = (data.previous?.comments ?? []).filter((comment) => !comment.isDraft);
  const known = new Set(before.flatMap(mentionsIn).map(keyOf));
  return commentsOf(data)
    .flatMap(mentionsIn)
    .filter((mention) => !known.has(keyOf(mention)));
}

function mentionsIn(comment: PresentedComment): AudienceMember[] {
  const reason = 'mentioned';
  const users = comment.taggedUserContacts as NamedUserObject[];
  const groups = (comment.toOrganizationUserGroup as unknown[]).flatMap(
    (group) => groupIdOf(group) ?? [],
  );
  return [
    ...users.map((user) => ({ reason, user }) as const),
    ...groups.map((groupId) => ({ reason, groupId }) as const),
  ];
}

const keyOf = ({ user, groupId }: AudienceMember): string =>
  user ? `user:${user.userId}` : `group:${groupId}`;

/** Callers name groups by id, or by an object with the id. Other values name no group. */
function groupIdOf(group: unknown): string | undefined {
  if (typeof group === 'string') return group;
  const { organizationUserGroupId, groupId } = Object(group) as Record<string, unknown>;
  const id = organizationUserGroupId ?? groupId;
  return typeof id === 'string' ? id : undefined;
}
