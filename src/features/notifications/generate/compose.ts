import { createHash } from 'node:crypto';
import type { NamedUser } from '../../access/ensure-membership.ts';
import type { NotificationContent, NotificationRow } from '../present-notification.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { REASONS, type Reason } from './audience.ts';
import type { EventRecipients } from './filter-by-preference.ts';
import { headlineOf } from './wording.ts';

/** A notification, the event that leads it, and its recipients. */
export interface Composed {
  row: NotificationRow;
  lead: AnnotationEvent;
  recipients: NamedUser[];
}

/** An event of which a user is notified, and the reason. */
interface Item {
  event: AnnotationEvent;
  reason: Reason;
}

interface Group {
  items: Item[];
  recipients: NamedUser[];
}

/** The limit for callers' own notifications too, so that each stays small enough to be read. */
const MAX_RECIPIENTS = 1_000;

/** Stands for the customer's server, if no acting user is known. No user has an empty id. */
const UNKNOWN_USER = { userId: '' };

/**
 * The notifications for events of one annotation. Recipients of the same events for the same reasons
 * share one. Its id is derived from the events and reasons, so that a repeat creates no second one.
 */
export function composeNotifications(notified: EventRecipients[], nowMs: number): Composed[] {
  return [...groupsOf(notified)].flatMap(([id, { items, recipients }]) =>
    portions(recipients).map((some, number) => {
      const lead = leadOf(items);
      const notificationId = number === 0 ? id : `${id}-${number + 1}`;
      return { lead: lead.event, recipients: some, row: rowOf(notificationId, items, some, nowMs) };
    }),
  );
}

function groupsOf(notified: EventRecipients[]): Map<string, Group> {
  const byUser = new Map<string, { user: NamedUser; items: Item[] }>();
  for (const { event, recipients } of notified) {
    for (const { user, reason } of recipients) {
      const own = byUser.get(user.userId) ?? { user, items: [] as Item[] };
      own.items.push({ event, reason });
      byUser.set(user.userId, own);
    }
  }
  const groups = new Map<string, Group>();
  for (const { user, items } of byUser.values()) {
    const id = idOf(items);
    const group = groups.get(id) ?? { items, recipients: [] };
    group.recipients.push(user);
    groups.set(id, group);
  }
  return groups;
}

function idOf(items: Item[]): string {
  const [first] = items;
  if (first && items.length === 1) return `${first.event.id}-${first.reason}`;
  const all = items.map(({ event, reason }) => `${event.id}-${reason}`).join();
  const digest = createHash('sha256').update(all).digest('base64url').slice(0, 22);
  return `${first?.event.id}-${digest}`;
}

function portions(recipients: NamedUser[]): NamedUser[][] {
  const count = Math.ceil(recipients.length / MAX_RECIPIENTS);
  return Array.from({ length: count }, (_, n) =>
    recipients.slice(n * MAX_RECIPIENTS, (n + 1) * MAX_RECIPIENTS),
  );
}

/** The item with the strongest reason; of equals the last. */
function leadOf(items: Item[]): Item {
  const rank = ({ reason }: Item) => REASONS.indexOf(reason);
  return items.reduce((lead, item) => (rank(item) <= rank(lead) ? item : lead));
}

function rowOf(
  notificationId: string,
  items: Item[],
  recipients: NamedUser[],
  nowMs: number,
): NotificationRow {
  const { organizationId, documentId, data } = leadOf(items).event;
  return {
    organizationId,
    notificationId,
    documentId,
    locationId: data.locationId === undefined ? null : String(data.locationId),
    createdMs: String(nowMs),
    source: 'comment',
    annotationId: data.annotationId,
    access: null,
    content: contentOf(items),
    recipientIds: recipients.map(({ userId }) => userId).sort(),
  };
}

/** The annotation is not stored: readers get it as it is at the time of reading. */
function contentOf(items: Item[]): NotificationContent {
  const { event, reason } = leadOf(items);
  const { actionUser = UNKNOWN_USER, location } = event.data;
  const { template, templateData, body } = headlineOf(event, reason);
  const more = items.length - 1;
  return {
    sourceData: {},
    actionUser,
    template: more === 0 ? template : `${template}, and {more} more`,
    templateData: more === 0 ? templateData : { ...templateData, more: String(more) },
    body,
    commentIds: commentIdsOf(items),
    location: location as NotificationContent['location'],
  };
}

/** If all events are about comments: their ids. Deleting all of these deletes the notification. */
function commentIdsOf(items: Item[]): number[] | undefined {
  const ids = items.map(({ event }) => event.data.commentIds ?? []);
  return ids.every((some) => some.length > 0) ? [...new Set(ids.flat())] : undefined;
}
