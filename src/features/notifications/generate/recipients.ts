import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import { presentUser, type UserRow } from '../../access/users/present-user.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import { type AnnotationEvent, isAnnotationEvent } from './annotation-event.ts';
import { type AudienceMember, audienceOf, type Reason } from './audience.ts';
import { loadMembers } from './group-members.ts';

/** Somebody who is to be told of an event, and why. */
export interface Recipient {
  user: NamedUserObject;
  reason: Reason;
}

/**
 * Everybody whom each of these events of one tenant concerns, by the event's id: the mentioned
 * (members of mentioned groups too), the assigned and the subscribed, each once with the strongest
 * reason; never who acted; and only who may see the annotation at this moment. Events that are not
 * to notify, or whose annotation is gone, have nobody. What people want to be told of is not asked.
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
  const concerned = events
    .filter(isAnnotationEvent)
    .map((event) => ({ event, who: audienceOf(event) }))
    .filter(({ who }) => who.length > 0);
  if (concerned.length === 0) return new Map();
  const named = await nameMembers(db, tenantId, concerned);
  const annotationIds = [...new Set(named.map(({ event }) => event.data.annotationId))];
  const userIds = [...new Set(named.flatMap(({ recipients }) => [...recipients.keys()]))];
  const [visibility, left, known] = await Promise.all([
    loadVisibility(db, { tenantId, annotationIds, userIds }, now),
    loadUnsubscribed(db, tenantId, annotationIds),
    loadKnown(db, tenantId, userIds),
  ]);
  return new Map(
    named.map(({ event, recipients }) => {
      const { annotationId } = event.data;
      const told = [...recipients].filter(
        ([userId, { reason }]) =>
          visibility.isVisible(annotationId, userId) &&
          !(reason === 'subscribed' && left.get(annotationId)?.has(userId)),
      );
      return [event.id, told.map(([, recipient]) => completed(recipient, known))];
    }),
  );
}

interface Named {
  event: AnnotationEvent;
  recipients: Map<string, Recipient>;
}

/** Puts the members in the place of groups. The strongest reason stands first, and stays. */
async function nameMembers(
  db: Queryable,
  tenantId: string,
  concerned: Array<{ event: AnnotationEvent; who: AudienceMember[] }>,
): Promise<Named[]> {
  const groups = concerned.flatMap(({ event: { organizationId }, who }) =>
    who.flatMap(({ groupId }) => (groupId === undefined ? [] : { organizationId, groupId })),
  );
  const members = await loadMembers(db, tenantId, groups);
  return concerned.map(({ event, who }) => {
    const recipients = new Map<string, Recipient>();
    for (const { reason, user, groupId } of who) {
      const users = user ? [user] : members.of(event.organizationId, groupId);
      for (const each of users) {
        if (recipients.has(each.userId) || each.userId === event.data.actionUser?.userId) continue;
        recipients.set(each.userId, { user: each, reason });
      }
    }
    return { event, recipients };
  });
}

/** Those who have unsubscribed from each annotation by now. */
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

async function loadKnown(db: Queryable, tenantId: string, userIds: string[]) {
  const rows = await db.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds})`);
  return new Map(rows.map((row) => [row.userId, presentUser(row)]));
}

/** What is known by now goes before what was when the event happened: an address may be another. */
const completed = (
  { user, reason }: Recipient,
  known: ReadonlyMap<string, NamedUserObject>,
): Recipient => ({ user: { ...user, ...known.get(user.userId) }, reason });
