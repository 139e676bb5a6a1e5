import { createHash } from 'node:crypto';
import type { NamedUser } from '../../access/ensure-membership.ts';
import type { NotificationContent, NotificationRow } from '../present-notification.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { REASONS, type Reason } from './audience.ts';
import type { EventRecipients } from './filter-by-preference.ts';
import { headlineOf } from './wording.ts';

/** A notification, the event that leads it, and those who get it. */
export interface Composed {
  row: NotificationRow;
  lead: AnnotationEvent;
  recipients: NamedUser[];
}

/** What one user is told: an event, and why. */
interface Item {
  event: AnnotationEvent;
  reason: Reason;
}

interface Group {
  items: Item[];
  recipients: NamedUser[];
}

/** As many as callers may name in one notification, so that none is too large to be read. */
const MOST_RECIPIENTS = 1_000;

/** Nobody is known to have acted: the customer's own server did. No user has this id. */
const NOBODY = { userId: '' };

/**
 * The notifications that tell of some events of one annotation. Those who are told the same for the
 * same reason share one. Its id is made of what it tells, so that nothing is told twice.
 */
export function composeNotifications(told: EventRecipients[], nowMs: number): Composed[] {
  return [...groupsOf(told)].flatMap(([id, { items, recipients }]) =>
    portions(recipients).map((some, number) => {
      const lead = leadOf(items);
      const notificationId = number === 0 ? id : `${id}-${number + 1}`;
      return { lead: lead.event, recipients: some, row: rowOf(notificationId, items, some, nowMs) };
    }),
  );
}

function groupsOf(told: EventRecipients[]): Map<string, Group> {
  const byUser = new Map<string, { user: NamedUser; items: Item[] }>();
  for (const { event, recipients } of told) {
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
  const count = Math.ceil(recipients.length / MOST_RECIPIENTS);
  return Array.from({ length: count }, (_, n) =>
    recipients.slice(n * MOST_RECIPIENTS, (n + 1) * MOST_RECIPIENTS),
  );
}

/** What matters most to the recipients; of equals the last. */
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

/** The annotation itself is not kept: it is shown as it is when the notification is read. */
function contentOf(items: Item[]): NotificationContent {
  const { event, reason } = leadOf(items);
  const { actionUser = NOBODY, location } = event.data;
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

/** Of events that are about comments and nothing else; the notification goes with the last one. */
function commentIdsOf(items: Item[]): number[] | undefined {
  const ids = items.map(({ event }) => event.data.commentIds ?? []);
  return ids.every((some) => some.length > 0) ? [...new Set(ids.flat())] : undefined;
}
