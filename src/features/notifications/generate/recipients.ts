import { type Queryable, sql } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { isAlias } from '../../../platform/erasure/people.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/annotation-row.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import type { Triggers } from '../../settings/triggers.ts';
import { loadUsers } from '../../users/known-people.ts';
import { loadLevels } from '../preferences/load-levels.ts';
import { type AnnotationEvent, annotationAt, isAnnotationEvent } from './annotation-event.ts';
import { type Audience, audienceOf, isTriggered, type Reason } from './audience.ts';

/** A user in the audience of an event, whether or not the user is to be notified. */
export interface Candidate {
  user: NamedUserObject;
  /** The strongest reason. */
  reason: Reason;
  /** The stored e-mail address, never one that a comment names. */
  address: string | undefined;
  /** Whether the user may see the annotation as it is now, and as it was when the event happened. */
  isVisible: boolean;
  /** Whether the user would only be notified as a subscriber, but is no longer one. */
  isUnsubscribed: boolean;
  /** Whether the user has read the annotation since the event. */
  hasRead: boolean;
  /** Whether the user was deleted, and an inbox would bring the user back. */
  isDeleted: boolean;
  wants: Record<'inbox' | 'email', boolean>;
}

export interface EventRecipients {
  event: AnnotationEvent;
  recipients: Candidate[];
}

interface Query {
  tenantId: string;
  events: LoggedEvent[];
  /** Unix seconds */
  now: number;
}

/** Selects recipients by the key's triggers, and by the users' preferences for the channel. */
export async function selectRecipients(
  db: Queryable,
  { triggers, ...query }: Omit<Query, 'events'> & { events: AnnotationEvent[]; triggers: Triggers },
  channel: keyof Candidate['wants'],
): Promise<EventRecipients[]> {
  const events = query.events.filter((event) => isTriggered(triggers, event));
  const candidates = await loadCandidates(db, { ...query, events });
  const isSelected = (user: Candidate) => isReached(user) && !user.isDeleted && user.wants[channel];
  return keepRecipients(candidates, isSelected);
}

/**
 * Loads the recipients of each of these events of one tenant: mentioned users, members of mentioned
 * groups, the assignee, and subscribers, each once with the strongest reason. The acting user is
 * left out, and so are erased users, and users who may not see the annotation at this moment or as
 * it was when the event happened.
 * Events that notify nobody are left out. Preferences are neither read nor applied.
 */
export async function loadRecipients(db: Queryable, query: Query): Promise<EventRecipients[]> {
  const candidates = await loadCandidates(db, query, { withPreferences: false });
  return keepRecipients(candidates, isReached);
}

const isReached = ({ isVisible, isUnsubscribed }: Candidate) => isVisible && !isUnsubscribed;

const keepRecipients = (candidates: EventRecipients[], isKept: (user: Candidate) => boolean) =>
  candidates.map(({ event, recipients }) => ({ event, recipients: recipients.filter(isKept) }));

/**
 * Loads the audience of each event, with the facts that decide whether each user is notified, by eight
 * statements for any number of events. See `loadRecipients`.
 */
export async function loadCandidates(
  db: Queryable,
  { tenantId, events, now }: Query,
  { withPreferences = true } = {},
): Promise<EventRecipients[]> {
  const audiences = events
    .filter(isAnnotationEvent)
    .map((event) => ({ event, audience: audienceOf(event) }))
    .filter(({ audience }) => audience.length > 0);
  if (audiences.length === 0) return [];
  const membersOf = await loadGroupMembers(db, tenantId, audiences);
  const resolved = audiences.map((each) => ({ ...each, users: resolveGroups(each, membersOf) }));
  const places = resolved.flatMap(({ event: { organizationId, documentId }, users }) =>
    users.map(({ user: { userId } }) => ({ organizationId, documentId, userId })),
  );
  const annotationIds = [...new Set(resolved.map(({ event }) => event.data.annotationId))];
  const userIds = [...new Set(places.map(({ userId }) => userId))];
  const earlier = resolved.map(({ event }) => annotationAt(event));
  const facts = await pipeline([
    loadVisibility(db, { tenantId, annotationIds, userIds }, now, earlier),
    loadParticipation(db, tenantId, annotationIds),
    loadUsers(db, tenantId, userIds),
    loadLevels(db, tenantId, withPreferences ? places : []),
  ]);
  return resolved.map(({ event, users }) => ({
    event,
    recipients: candidatesOf(event, users, ...facts),
  }));
}

function candidatesOf(
  event: AnnotationEvent,
  users: AudienceMember[],
  visibility: Awaited<ReturnType<typeof loadVisibility>>,
  participationOf: Awaited<ReturnType<typeof loadParticipation>>,
  known: ReadonlyMap<string, NamedUserObject>,
  levelsOf: Awaited<ReturnType<typeof loadLevels>>,
): Candidate[] {
  const { organizationId, documentId, data } = event;
  const authors = new Set([data, ...data.comments].map(({ from }) => from.userId));
  const earlier = annotationAt(event);
  return users.flatMap(({ user, reason, isInGroup }) => {
    const { userId } = user;
    const stored = known.get(userId);
    const { hasUnsubscribed, lacksSubscription, hasRead } = participationOf(userId, event);
    if (!stored && isAlias(userId)) return [];
    // ALL allows every event; MINE those that mention or assign the user, or that happen in a thread
    // in which the user wrote.
    const isOwn = reason !== 'subscribed' || authors.has(userId);
    const allows = (level: string) => level === 'ALL' || (level === 'MINE' && isOwn);
    const { inbox, email } = levelsOf({ organizationId, documentId, userId });
    return {
      // Stored fields take precedence over those in the event, since an address may have changed.
      user: { ...user, ...stored },
      reason,
      address: typeof stored?.email === 'string' && stored.email ? stored.email : undefined,
      isVisible: visibility.hidingStep(data.annotationId, userId, earlier) === undefined,
      isUnsubscribed:
        reason === 'subscribed' && (hasUnsubscribed || (lacksSubscription && !isInGroup)),
      hasRead,
      isDeleted: !stored && wasKnown(event, reason, hasUnsubscribed || lacksSubscription),
      wants: { inbox: allows(inbox), email: allows(email) },
    };
  });
}

/** The events that name an assignee. Later ones only repeat it. */
const ASSIGNING = new Set(['comment_annotation.add', 'comment_annotation.assign']);

/**
 * Whether a user who is unknown now was known before: the subscription that a mention makes has
 * ended, or an earlier event has named the assignee. Other unknown users become known when they are
 * notified.
 */
const wasKnown = ({ type }: AnnotationEvent, reason: Reason, hasNoSubscription: boolean): boolean =>
  (reason === 'mentioned' && hasNoSubscription) || (reason === 'assigned' && !ASSIGNING.has(type));

interface EventAudience {
  event: AnnotationEvent;
  audience: Audience[];
}

type MembersOf = (organizationId: string, groupId: string) => NamedUserObject[];

/** A user in the audience of an event, directly or as a member of a group. */
type AudienceMember = Pick<Candidate, 'user' | 'reason'> & { isInGroup: boolean };

/** Replaces groups by their members. The first reason of a user is the strongest, and is kept. */
function resolveGroups({ event, audience }: EventAudience, membersOf: MembersOf): AudienceMember[] {
  const { organizationId, data } = event;
  const all = audience.flatMap(({ reason, users, groupIds }) =>
    [
      ...users.map((user) => ({ user, reason, isInGroup: false })),
      ...groupIds
        .flatMap((groupId) => membersOf(organizationId, groupId))
        .map((user) => ({ user, reason, isInGroup: true })),
    ].filter(({ user }) => user.userId !== data.actionUser?.userId),
  );
  const byUser = Map.groupBy(all, ({ user }) => user.userId);
  return [...byUser.values()].flatMap(([first]) => first ?? []);
}

const keyOf = (...ids: string[]) => JSON.stringify(ids);

/** Loads the members of groups of any organizations by one statement, or none without groups. */
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
  const members = new Map(rows.map((row) => [keyOf(row.organizationId, row.groupId), row.userIds]));
  return (organizationId, groupId) =>
    (members.get(keyOf(organizationId, groupId)) ?? []).map((userId) => ({ userId }));
}

interface Participation {
  hasUnsubscribed: boolean;
  /** Whether the user has only read or been assigned the annotation, or was deleted as a subscriber. */
  lacksSubscription: boolean;
  /** The time of the last reading in epoch milliseconds. */
  readMs: number;
}

/**
 * Reads how users take part in annotations. The returned function says of a user and an event whether the
 * user is subscribed to the annotation now, and has read it since the event.
 */
export async function loadParticipation(db: Queryable, tenantId: string, annotationIds: string[]) {
  const rows = await db.query<Participation & { annotationId: string; userId: string }>(sql`
    SELECT annotation_id AS "annotationId", user_id AS "userId",
           subscription IS NOT DISTINCT FROM 'none' AS "hasUnsubscribed",
           subscription IS NULL AS "lacksSubscription",
           COALESCE(read_at, 0)::float8 AS "readMs"
    FROM annotation_users
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})
      AND (subscription IS NULL OR subscription = 'none' OR read_at IS NOT NULL)`);
  const byKey = new Map(rows.map((row) => [keyOf(row.annotationId, row.userId), row]));
  return (userId: string, { data, createdAt }: AnnotationEvent) => {
    const row: Partial<Participation> = byKey.get(keyOf(data.annotationId, userId)) ?? {};
    const { hasUnsubscribed = false, lacksSubscription = false, readMs = 0 } = row;
    return { hasUnsubscribed, lacksSubscription, hasRead: readMs > createdAt.getTime() };
  };
}
