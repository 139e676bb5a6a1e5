import { createHash } from 'node:crypto';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import type { NotificationContent, NotificationRow } from '../present-notification.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { REASONS, type Reason } from './audience.ts';
import type { EventRecipients } from './recipients.ts';
import { headlineOf } from './wording.ts';

/** A notification, the event that leads it, and its recipients. */
export interface Composed {
  row: NotificationRow;
  lead: AnnotationEvent;
  recipients: NamedUserObject[];
}

/** An event of which a user is notified, and the reason. */
interface Item {
  event: AnnotationEvent;
  reason: Reason;
  user: NamedUserObject;
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
  const items = notified.flatMap(({ event, recipients }) =>
    recipients.map(({ user, reason }): Item => ({ event, reason, user })),
  );
  const byUser = Map.groupBy(items, ({ user }) => user.userId);
  const groups = Map.groupBy(byUser.values(), idOf);
  return [...groups].flatMap(([id, members]) => {
    const [shared = []] = members;
    const users = members.flatMap(([first]) => first?.user ?? []);
    const count = Math.ceil(users.length / MAX_RECIPIENTS);
    return Array.from({ length: count }, (_, part) => {
      const some = users.slice(part * MAX_RECIPIENTS, (part + 1) * MAX_RECIPIENTS);
      return compose(part === 0 ? id : `${id}-${part + 1}`, shared, some, nowMs);
    });
  });
}

function idOf(items: Item[]): string {
  const [first] = items;
  const all = items.map(({ event, reason }) => `${event.id}-${reason}`).join();
  if (items.length === 1) return all;
  const digest = createHash('sha256').update(all).digest('base64url').slice(0, 22);
  return `${first?.event.id}-${digest}`;
}

/** The annotation is not stored: readers get it as it is at the time of reading. */
function compose(
  notificationId: string,
  items: Item[],
  recipients: NamedUserObject[],
  nowMs: number,
): Composed {
  const { event: lead, reason } = leadOf(items);
  const { organizationId, documentId, data } = lead;
  const { template, templateData, body } = headlineOf(lead, reason);
  const more = items.length - 1;
  const content: NotificationContent = {
    sourceData: {},
    actionUser: data.actionUser ?? UNKNOWN_USER,
    template: more === 0 ? template : `${template}, and {more} more`,
    templateData: more === 0 ? templateData : { ...templateData, more: String(more) },
    body,
    commentIds: commentIdsOf(items),
    location: data.location,
  };
  const row: NotificationRow = {
    organizationId,
    notificationId,
    documentId,
    locationId: data.locationId === undefined ? null : String(data.locationId),
    createdMs: String(nowMs),
    source: 'comment',
    annotationId: data.annotationId,
    access: null,
    content,
    recipientIds: recipients.map(({ userId }) => userId).sort(),
  };
  return { row, lead, recipients };
}

/** The item with the strongest reason; of equals the last. */
function leadOf(items: Item[]): Item {
  const rank = ({ reason }: Item) => REASONS.indexOf(reason);
  return items.reduce((lead, item) => (rank(item) <= rank(lead) ? item : lead));
}

/** If all events are about comments: their ids. Deleting all of these deletes the notification. */
function commentIdsOf(items: Item[]): number[] | undefined {
  const ids = items.map(({ event }) => event.data.commentIds ?? []);
  return ids.every((some) => some.length > 0) ? [...new Set(ids.flat())] : undefined;
}
