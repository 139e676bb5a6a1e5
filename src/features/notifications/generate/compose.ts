import { createHash } from 'node:crypto';
import type { NamedUserObject } from '../../comments/annotation-row.ts';
import type { NotificationContent, NotificationRow } from '../present-notification.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { REASONS, type Reason } from './audience.ts';
import { headlineOf } from './headline-templates.ts';
import type { EventRecipients } from './recipients.ts';

export interface Composed {
  row: NotificationRow;
  /** The event that the notification shows. The other events are only counted. */
  shownEvent: AnnotationEvent;
  recipients: NamedUserObject[];
}

/** An event that a user is notified about, and the reason. */
interface Item {
  event: AnnotationEvent;
  reason: Reason;
  user: NamedUserObject;
}

/** The most recipients of a notification, custom or not. With more, it would be too large to be read. */
const MAX_RECIPIENTS = 1_000;

/** Stands for the customer's server, if no acting user is known. No user has an empty id. */
const UNKNOWN_USER = { userId: '' };

/**
 * Composes the notifications of events of one annotation. Recipients of the same events for the same
 * reasons share a notification. Its id is made from the events and reasons, so that a repeated call does
 * not add the notification again.
 */
export function composeNotifications(notified: EventRecipients[], nowMs: number): Composed[] {
  const items = notified.flatMap(({ event, recipients }) =>
    recipients.map(({ user, reason }): Item => ({ event, reason, user })),
  );
  const byUser = Map.groupBy(items, ({ user }) => user.userId);
  const groups = Map.groupBy(byUser.values(), idOf);
  return [...groups].flatMap(([id, itemsOfUsers]) => {
    // All users of a group have the same events and reasons, so the items of one user stand for all.
    const [sharedItems = []] = itemsOfUsers;
    const users = itemsOfUsers.flatMap(([first]) => first?.user ?? []);
    const count = Math.ceil(users.length / MAX_RECIPIENTS);
    return Array.from({ length: count }, (_, index) => {
      const recipients = users.slice(index * MAX_RECIPIENTS, (index + 1) * MAX_RECIPIENTS);
      return compose(index === 0 ? id : `${id}-${index + 1}`, sharedItems, recipients, nowMs);
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

/** Composes a notification without the annotation, which is loaded whenever a notification is read. */
function compose(
  notificationId: string,
  items: Item[],
  recipients: NamedUserObject[],
  nowMs: number,
): Composed {
  const { event: shownEvent, reason } = shownItemOf(items);
  const { organizationId, documentId, data } = shownEvent;
  const { template, templateData, body, bodyCommentId } = headlineOf(shownEvent, reason);
  const more = items.length - 1;
  const content: NotificationContent = {
    sourceData: {},
    actionUser: data.actionUser ?? UNKNOWN_USER,
    template: more === 0 ? template : `${template}, and {more} more`,
    templateData: more === 0 ? templateData : { ...templateData, more: String(more) },
    body,
    bodyCommentId,
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
  return { row, shownEvent, recipients };
}

/** Returns the item with the strongest reason; of several such items the last. */
function shownItemOf(items: Item[]): Item {
  const rank = ({ reason }: Item) => REASONS.indexOf(reason);
  return items.reduce((shown, item) => (rank(item) <= rank(shown) ? item : shown));
}

/** Returns the ids of the comments if all events are about comments; see `NotificationContent`. */
function commentIdsOf(items: Item[]): number[] | undefined {
  const ids = items.map(({ event }) => event.data.commentIds ?? []);
  return ids.every((ofEvent) => ofEvent.length > 0) ? [...new Set(ids.flat())] : undefined;
}
