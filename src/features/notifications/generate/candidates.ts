import { type Queryable, sql } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import { loadUsers } from '../../users/known-people.ts';
import { type AnnotationEvent, isAnnotationEvent } from './annotation-event.ts';
import { type Audience, audienceOf, type Reason } from './audience.ts';

/** A user whom an event concerns, whether or not the user is to be notified. */
export interface Candidate {
  user: NamedUserObject;
  /** The strongest reason. */
  reason: Reason;
  /** The stored e-mail address, never one that a comment names. */
  address: string | undefined;
  isVisible: boolean;
  /** The user would only be notified as a subscriber, and has unsubscribed. */
  isUnsubscribed: boolean;
  /** The user has read the annotation since the event. */
  hasRead: boolean;
}

/** An event, and users whom it concerns. */
export interface EventRecipients {
  event: AnnotationEvent;
  recipients: Candidate[];
}

/**
 * The audience of each of these events of one tenant, each user once, with what decides about the
 * user. The acting user is left out, and so are events that are not to notify.
 *
 * Seven statements, whatever the number of events.
 *
 * @param now Unix seconds
 */
export async function loadCandidates(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
  now: number,
): Promise<EventRecipients[]> {
  const audiences = events
    .filter(isAnnotationEvent)
    .map((event) => ({ event, audience: audienceOf(event) }))
    .filter(({ audience }) => audience.length > 0);
  if (audiences.length === 0) return [];
  const membersOf = await loadGroupMembers(db, tenantId, audiences);
  const named = audiences.map((each) => ({ ...each, users: usersIn(each, membersOf) }));
  const annotationIds = [...new Set(named.map(({ event }) => event.data.annotationId))];
  const userIds = [...new Set(named.flatMap(({ users }) => users.map(({ user }) => user.userId)))];
  const [visibility, participationOf, known] = await pipeline([
    loadVisibility(db, { tenantId, annotationIds, userIds }, now),
    loadParticipation(db, tenantId, annotationIds),
    loadUsers(db, tenantId, userIds),
  ]);
  return named.map(({ event, users }) => ({
    event,
    recipients: users.map(({ user, reason }) => {
      const stored: NamedUserObject | undefined = known.get(user.userId);
      const { hasUnsubscribed, hasRead } = participationOf(user.userId, event);
      return {
        // Stored fields take precedence over those in the event, since an address may have changed.
        user: { ...user, ...stored },
        reason,
        address: typeof stored?.email === 'string' && stored.email ? stored.email : undefined,
        isVisible: visibility.isVisible(event.data.annotationId, user.userId),
        isUnsubscribed: reason === 'subscribed' && hasUnsubscribed,
        hasRead,
      };
    }),
  }));
}

interface Concerned {
  event: AnnotationEvent;
  audience: Audience[];
}

type MembersOf = (organizationId: string, groupId: string) => NamedUserObject[];

/** Replaces groups by their members. The first reason of a user is the strongest, and is kept. */
function usersIn({ event: { organizationId, data }, audience }: Concerned, membersOf: MembersOf) {
  const all = audience.flatMap(({ reason, users, groupIds }) =>
    [...users, ...groupIds.flatMap((groupId) => membersOf(organizationId, groupId))]
      .filter(({ userId }) => userId !== data.actionUser?.userId)
      .map((user) => ({ user, reason })),
  );
  const byUser = Map.groupBy(all, ({ user }) => user.userId);
  return [...byUser.values()].flatMap(([first]) => first ?? []);
}

const keyOf = (...ids: string[]) => JSON.stringify(ids);

/** Loads the members of groups, of any number of organizations: one statement, none without groups. */
async function loadGroupMembers(
  db: Queryable,
  tenantId: string,
  audiences: Concerned[],
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
  const members = new Map(rows.map((row) => [keyOf(row.organizationId, row.groupId), row.userIds]));
  return (organizationId, groupId) =>
    (members.get(keyOf(organizationId, groupId)) ?? []).map((userId) => ({ userId }));
}

interface Participation {
  hasUnsubscribed: boolean;
  /** The time of the last reading in epoch milliseconds. */
  readMs: number;
}

/** Whether users have unsubscribed from annotations by now, and read them since an event. */
export async function loadParticipation(db: Queryable, tenantId: string, annotationIds: string[]) {
  const rows = await db.query<Participation & { annotationId: string; userId: string }>(sql`
    SELECT annotation_id AS "annotationId", user_id AS "userId",
           subscription IS NOT DISTINCT FROM 'none' AS "hasUnsubscribed",
           COALESCE(read_at, 0)::float8 AS "readMs"
    FROM annotation_users
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})
      AND (subscription = 'none' OR read_at IS NOT NULL)`);
  const byKey = new Map(rows.map((row) => [keyOf(row.annotationId, row.userId), row]));
  return (userId: string, { data, createdAt }: AnnotationEvent) => {
    const row: Partial<Participation> = byKey.get(keyOf(data.annotationId, userId)) ?? {};
    const { hasUnsubscribed = false, readMs = 0 } = row;
    return { hasUnsubscribed, hasRead: readMs > createdAt.getTime() };
  };
}
