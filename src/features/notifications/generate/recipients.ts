import type { Queryable } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { Triggers } from '../../settings/triggers.ts';
import { loadLevels } from '../preferences/load-levels.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { isTriggered } from './audience.ts';
import { type Candidate, type EventRecipients, loadCandidates } from './candidates.ts';

interface Query {
  tenantId: string;
  triggers: Triggers;
  events: AnnotationEvent[];
  /** Unix seconds */
  now: number;
}

type Channel = 'inbox' | 'email';

/** The recipients of events by the key's triggers, and by the users' preferences for the channel. */
export async function selectRecipients(
  db: Queryable,
  { tenantId, triggers, events, now }: Query,
  channel: Channel,
): Promise<EventRecipients[]> {
  const triggered = events.filter((event) => isTriggered(triggers, event));
  const notified = await loadRecipients(db, tenantId, triggered, now);
  return filterByPreference(db, tenantId, notified, channel);
}

/**
 * The recipients of each of these events of one tenant: mentioned users, members of mentioned
 * groups, the assignee, and subscribers, each once with the strongest reason. The acting user is
 * left out, and so are users who may not see the annotation at this moment. Events that are not to
 * notify, or whose annotation was deleted, have no recipients. Preferences are not applied here.
 *
 * @param now Unix seconds
 */
export async function loadRecipients(
  db: Queryable,
  tenantId: string,
  events: LoggedEvent[],
  now: number,
): Promise<EventRecipients[]> {
  const concerned = await loadCandidates(db, tenantId, events, now);
  return concerned.map(({ event, recipients }) => ({
    event,
    recipients: recipients.filter((user) => user.isVisible && !user.isUnsubscribed),
  }));
}

/**
 * Keeps the recipients whose preferences (`notifications/config`) allow this kind of event on the
 * channel. ALL allows every event; MINE those that mention or assign the user, or that happen in a
 * thread in which the user wrote.
 */
export async function filterByPreference(
  db: Queryable,
  tenantId: string,
  notified: EventRecipients[],
  channel: Channel,
): Promise<EventRecipients[]> {
  const users = notified.flatMap(({ event: { organizationId, documentId }, recipients }) =>
    recipients.map(({ user: { userId } }) => ({ organizationId, documentId, userId })),
  );
  if (users.length === 0) return [];
  const levelsOf = await loadLevels(db, tenantId, users);
  return notified.map(({ event, recipients }) => {
    const { organizationId, documentId, data } = event;
    const authors = new Set([data, ...data.comments].map(({ from }) => from.userId));
    const isAllowed = ({ user: { userId }, reason }: Candidate): boolean => {
      const level = levelsOf({ organizationId, documentId, userId })[channel];
      const isOwn = reason !== 'subscribed' || authors.has(userId);
      return level === 'ALL' || (level === 'MINE' && isOwn);
    };
    return { event, recipients: recipients.filter(isAllowed) };
  });
}
