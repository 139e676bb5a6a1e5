import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/annotation-row.ts';
import type { PresentedComment } from '../../comments/response-schemas.ts';
import { decisionOfStatus, type Status } from '../../comments/statuses.ts';
import { isTriggerOn, type Triggers } from '../../settings/triggers.ts';
import { type AnnotationEvent, isAnnotationEvent, publishedComments } from './annotation-event.ts';

/** The reasons to notify a user of an event, the strongest first. */
export const REASONS = ['mentioned', 'assigned', 'subscribed'] as const;
export type Reason = (typeof REASONS)[number];

/** The users, and the groups of the organization, to notify of an event for one reason. */
interface Audience {
  reason: Reason;
  users: NamedUserObject[];
  groupIds: string[];
}

/** Whether the key's triggers select the event, and no other event of the same change notifies instead. */
export function isTriggered(triggers: Triggers, { type, data }: AnnotationEvent): boolean {
  if (!isTriggerOn(triggers, type)) return false;
  const isNewStatus = data.previous?.status?.id !== data.status.id;
  if (type !== 'comment_annotation.status_change' || !isNewStatus) return true;
  // A status that is a decision publishes an event of its own, which notifies instead.
  const decision = decisionOfStatus(data.status as Status);
  return decision === undefined || !isTriggerOn(triggers, `comment_annotation.${decision}`);
}

/** The types of events that may mention users. */
const MENTIONING_TYPES = new Set(['comment_annotation.add', 'comment.add', 'comment.update']);

/**
 * Returns the audiences of an event, the strongest reason first. Whether their members may see the
 * annotation does not matter here. Mentions count if the event added them and the comments still
 * contain them. An event has no audience if its comments are or were drafts, or are gone.
 */
export function audienceOf({ type, data, commentsAtEvent }: AnnotationEvent): Audience[] {
  const { triggerNotification, commentIds, assignedTo, subscribedUsers, subscribedGroups } = data;
  const comments = publishedComments(data);
  const earlierComments = publishedComments({
    ...data,
    comments: commentsAtEvent ?? data.comments,
  });
  const areHidden = comments.length === 0 || earlierComments.length === 0;
  const isAboutHiddenComments = commentIds !== undefined && commentIds.length > 0 && areHidden;
  if (!triggerNotification || isAboutHiddenComments) return [];
  const mentions = mentionsIn(MENTIONING_TYPES.has(type) ? comments : []);
  const oldMentions = mentionsIn(data.previous?.comments?.filter(({ isDraft }) => !isDraft) ?? []);
  const mentionsAtEvent = mentionsIn(earlierComments);
  const idsOf = ({ users }: Pick<Audience, 'users'>) => new Set(users.map(({ userId }) => userId));
  const oldUserIds = idsOf(oldMentions);
  const userIdsAtEvent = idsOf(mentionsAtEvent);
  const audiences: Audience[] = [
    {
      reason: 'mentioned',
      users: mentions.users.filter(
        ({ userId }) => userIdsAtEvent.has(userId) && !oldUserIds.has(userId),
      ),
      groupIds: mentions.groupIds.filter(
        (id) => mentionsAtEvent.groupIds.includes(id) && !oldMentions.groupIds.includes(id),
      ),
    },
    { reason: 'assigned', users: assignedTo ? [assignedTo] : [], groupIds: [] },
    {
      reason: 'subscribed',
      users: Object.values(subscribedUsers).map(({ user }) => user),
      groupIds: Object.entries(subscribedGroups ?? {}).map(([id, group]) => groupIdOf(group) ?? id),
    },
  ];
  return audiences.filter(({ users, groupIds }) => users.length + groupIds.length > 0);
}

const mentionsIn = (comments: PresentedComment[]) => ({
  users: comments.flatMap(({ taggedUserContacts }) => taggedUserContacts),
  groupIds: comments.flatMap(({ toOrganizationUserGroup }) =>
    toOrganizationUserGroup.flatMap((group) => groupIdOf(group) ?? []),
  ),
});

/** Callers name groups by id, or by an object with the id. Other values name no group. */
function groupIdOf(group: unknown): string | undefined {
  if (typeof group === 'string') return group;
  const { organizationUserGroupId, groupId } = Object(group) as Record<string, unknown>;
  const id = organizationUserGroupId ?? groupId;
  return typeof id === 'string' ? id : undefined;
}

/**
 * The most members, in all audiences together, that a reader handles at a time. More would delay the events of
 * other tenants, and block the process, which does nothing else while it decides about members.
 */
const MAX_MEMBERS = 5_000;

/** Returns how many of the first events have at most `MAX_MEMBERS` together, but at least 1. */
export async function countEventsAtOnce(db: Queryable, events: LoggedEvent[]): Promise<number> {
  const audiences = events.map((event) => (isAnnotationEvent(event) ? audienceOf(event) : []));
  const groupsOf = (index: number) => {
    const { tenantId, organizationId } = events[index] ?? {};
    const groupIds = (audiences[index] ?? []).flatMap((audience) => audience.groupIds);
    return groupIds.map((groupId) => JSON.stringify([tenantId, organizationId, groupId]));
  };
  const sizes = await loadGroupSizes(
    db,
    events.flatMap((_, index) => groupsOf(index)),
  );
  let members = 0;
  const count = audiences.findIndex((audience, index) => {
    for (const { users } of audience) members += users.length;
    for (const group of groupsOf(index)) members += sizes.get(group) ?? 0;
    return members > MAX_MEMBERS;
  });
  return count === -1 ? events.length : Math.max(1, count);
}

/** Loads the sizes of groups. Both input and result name a group by `[tenantId, organizationId, groupId]` as JSON. */
async function loadGroupSizes(db: Queryable, groups: string[]): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map();
  const keys: string[][] = [...new Set(groups)].map((group) => JSON.parse(group));
  const column = (index: number) => keys.map((key) => key[index]);
  const rows = await db.query<{ key: string[]; size: number }>(sql`
    SELECT ARRAY[tenant_id, organization_id, group_id] AS key, count(*)::int AS size
    FROM user_group_members /* all tenants, background */
    WHERE (tenant_id, organization_id, group_id) IN (
      SELECT * FROM unnest(${column(0)}::text[], ${column(1)}::text[], ${column(2)}::text[]))
    GROUP BY tenant_id, organization_id, group_id`);
  return new Map(rows.map(({ key, size }) => [JSON.stringify(key), size]));
}

/** A user in the audience of an event. */
export interface AudienceMember {
  user: NamedUserObject;
  /** The strongest reason. */
  reason: Reason;
  /** Whether the user is in the audience as a member of a group. */
  isInGroup: boolean;
}

/**
 * Loads the members of the audience of each event, each once, without the acting user. Events
 * without an audience are left out. Runs one statement, or none if there are no groups.
 */
export async function loadAudienceMembers(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
): Promise<Array<{ event: AnnotationEvent; members: AudienceMember[] }>> {
  const audiences = events
    .filter(isAnnotationEvent)
    .map((event) => ({ event, audience: audienceOf(event) }))
    .filter(({ audience }) => audience.length > 0);
  const membersOf = await loadGroupMembers(db, tenantId, audiences);
  return audiences.map((each) => ({ event: each.event, members: membersIn(each, membersOf) }));
}

interface EventAudience {
  event: AnnotationEvent;
  audience: Audience[];
}

type MembersOf = (organizationId: string, groupId: string) => NamedUserObject[];

/** Replaces groups with their members, and keeps the first reason for each user, which is the strongest. */
function membersIn({ event, audience }: EventAudience, membersOf: MembersOf): AudienceMember[] {
  const { organizationId, data } = event;
  const all = audience.flatMap(({ reason, users, groupIds }) => [
    ...users.map((user) => ({ user, reason, isInGroup: false })),
    ...groupIds
      .flatMap((groupId) => membersOf(organizationId, groupId))
      .map((user) => ({ user, reason, isInGroup: true })),
  ]);
  const others = all.filter(({ user }) => user.userId !== data.actionUser?.userId);
  const byUser = Map.groupBy(others, ({ user }) => user.userId);
  return [...byUser.values()].flatMap(([first]) => first ?? []);
}

/** Loads the members of the groups in the audiences. The groups may belong to several organizations. */
async function loadGroupMembers(
  db: Queryable,
  tenantId: string,
  audiences: EventAudience[],
): Promise<MembersOf> {
  const groups = audiences.flatMap(({ event: { organizationId }, audience }) =>
    audience.flatMap(({ groupIds }) => groupIds.map((groupId) => ({ organizationId, groupId }))),
  );
  if (groups.length === 0) return () => [];
  const rows = await db.query<{ organizationId: string; groupId: string; userIds: string[] }>(sql`
    SELECT organization_id AS "organizationId", group_id AS "groupId",
           array_agg(user_id) AS "userIds"
    FROM user_group_members
    WHERE tenant_id = ${tenantId} AND (organization_id, group_id) IN (
      SELECT * FROM unnest(${groups.map((group) => group.organizationId)}::text[],
                           ${groups.map((group) => group.groupId)}::text[]))
    GROUP BY organization_id, group_id`);
  const keyOf = (organizationId: string, groupId: string) =>
    JSON.stringify([organizationId, groupId]);
  const members = new Map(rows.map((row) => [keyOf(row.organizationId, row.groupId), row.userIds]));
  return (organizationId, groupId) =>
    (members.get(keyOf(organizationId, groupId)) ?? []).map((userId) => ({ userId }));
}
