import { type Queryable, sql } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import { loadUsers } from '../../users/known-people.ts';
import { type AnnotationEvent, isAnnotationEvent } from './annotation-event.ts';
import { type AudienceMember, audienceOf, type Reason } from './audience.ts';
import { loadGroupMembers } from './group-members.ts';

/** A user to notify of an event, and the reason. */
export interface Recipient {
  user: NamedUserObject;
  reason: Reason;
}

/** A user whom an event concerns, whether or not the user is to be notified. */
export interface Candidate extends Recipient {
  isVisible: boolean;
  /** The user would only be notified as a subscriber, and has unsubscribed. */
  isUnsubscribed: boolean;
}

/**
 * The recipients of each of these events of one tenant, by the event's id: mentioned users, members
 * of mentioned groups, the assignee, and subscribers, each once with the strongest reason. The
 * acting user is left out, and so are users who may not see the annotation at this moment. Events
 * that are not to notify, or whose annotation was deleted, have no recipients. Preferences are not
 * applied here.
 *
 * Seven statements, whatever the number of events.
 *
 * @param now Unix seconds
 */
export async function loadRecipients(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
  now: number,
): Promise<Map<string, Recipient[]>> {
  const candidates = await loadCandidates(db, tenantId, events, now);
  return new Map(
    [...candidates].map(([eventId, all]) => [
      eventId,
      all
        .filter(({ isVisible, isUnsubscribed }) => isVisible && !isUnsubscribed)
        .map(({ user, reason }) => ({ user, reason })),
    ]),
  );
}

/** The audience of each event, with what decides about each user. See `loadRecipients`. */
export async function loadCandidates(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
  now: number,
): Promise<Map<string, Candidate[]>> {
  const audiences = events
    .filter(isAnnotationEvent)
    .map((event) => ({ event, audience: audienceOf(event) }))
    .filter(({ audience }) => audience.length > 0);
  if (audiences.length === 0) return new Map();
  const named = await replaceGroups(db, tenantId, audiences);
  const annotationIds = [...new Set(named.map(({ event }) => event.data.annotationId))];
  const userIds = [...new Set(named.flatMap(({ recipients }) => [...recipients.keys()]))];
  const [visibility, unsubscribed, known] = await pipeline([
    loadVisibility(db, { tenantId, annotationIds, userIds }, now),
    loadUnsubscribed(db, tenantId, annotationIds),
    loadUsers(db, tenantId, userIds),
  ]);
  return new Map(
    named.map(({ event, recipients }) => {
      const { annotationId } = event.data;
      const candidates = [...recipients].map(([userId, recipient]) => ({
        ...completed(recipient, known),
        isVisible: visibility.isVisible(annotationId, userId),
        isUnsubscribed:
          recipient.reason === 'subscribed' &&
          (unsubscribed.get(annotationId)?.has(userId) ?? false),
      }));
      return [event.id, candidates];
    }),
  );
}

interface Named {
  event: AnnotationEvent;
  recipients: Map<string, Recipient>;
}

/** Replaces groups by their members. The first reason of a user is the strongest, and is kept. */
async function replaceGroups(
  db: Queryable,
  tenantId: string,
  audiences: Array<{ event: AnnotationEvent; audience: AudienceMember[] }>,
): Promise<Named[]> {
  const groups = audiences.flatMap(({ event: { organizationId }, audience }) =>
    audience.flatMap(({ groupId }) => (groupId === undefined ? [] : { organizationId, groupId })),
  );
  const members = await loadGroupMembers(db, tenantId, groups);
  return audiences.map(({ event, audience }) => {
    const recipients = new Map<string, Recipient>();
    for (const { reason, user, groupId } of audience) {
      const users = user ? [user] : members.of(event.organizationId, groupId);
      for (const each of users) {
        if (recipients.has(each.userId) || each.userId === event.data.actionUser?.userId) continue;
        recipients.set(each.userId, { user: each, reason });
      }
    }
    return { event, recipients };
  });
}

/** The users who have unsubscribed from each annotation by now. */
async function loadUnsubscribed(
  db: Queryable,
  tenantId: string,
  annotationIds: string[],
): Promise<Map<string, Set<string>>> {
  const rows = await db.query<{ annotationId: string; userIds: string[] }>(sql`
    SELECT annotation_id AS "annotationId", array_agg(user_id) AS "userIds"
    FROM annotation_users
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})
      AND subscription = 'none'
    GROUP BY annotation_id`);
  return new Map(rows.map(({ annotationId, userIds }) => [annotationId, new Set(userIds)]));
}

/** Stored fields take precedence over those in the event, since an address may have changed. */
const completed = (
  { user, reason }: Recipient,
  known: ReadonlyMap<string, NamedUserObject>,
): Recipient => ({ user: { ...user, ...known.get(user.userId) }, reason });
