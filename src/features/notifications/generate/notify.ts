import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { insertNotifications } from '../insert-notifications.ts';
import { presentNotification } from '../present-notification.ts';
import { type AnnotationEvent, annotationIn } from './annotation-event.ts';
import { type Composed, composeNotifications } from './compose.ts';
import { filterByPreference } from './filter-by-preference.ts';
import { loadRecipients } from './recipients.ts';

interface NotifyInput {
  tenantId: string;
  /** Events that share a notification: of one annotation, in order. */
  threads: AnnotationEvent[][];
  /** Whether a user has seen the event already, and needs no notification. */
  hasRead?: (userId: string, event: AnnotationEvent) => boolean;
}

/** The number of recipients that one statement writes, far below what its timeout allows. */
const MAX_RECIPIENTS = 20_000;

/**
 * Writes the notifications of events of one tenant, and publishes those that are new. The number of
 * statements does not depend on the number of events, unless there are very many recipients.
 *
 * Recipients do not become members of the organization here, even with `requireAutoOrgUser`: that
 * happened when they were named, and a member who was removed since must not return.
 */
export async function notify(
  { events: log, clock }: Pick<Services, 'events' | 'clock'>,
  tx: Transaction,
  { tenantId, threads, hasRead = () => false }: NotifyInput,
): Promise<void> {
  const recipients = await loadRecipients(tx, tenantId, threads.flat(), unixSeconds(clock));
  const notified = threads.flat().map((event) => ({
    event,
    recipients: (recipients.get(event.id) ?? []).filter(({ user }) => !hasRead(user.userId, event)),
  }));
  const allowed = await filterByPreference(tx, tenantId, notified);
  const byEvent = new Map(allowed.map((each) => [each.event.id, each]));
  const composed = threads.flatMap((thread) => {
    const own = thread.flatMap((event) => byEvent.get(event.id) ?? []);
    return composeNotifications(own, clock.now());
  });
  for (const portion of portions(composed)) {
    const rows = portion.map(({ row }) => row);
    const named = portion.flatMap((each) => each.recipients);
    const added = await insertNotifications(tx, tenantId, rows, named);
    const isNew = ({ row }: Composed) => added.has(row.notificationId);
    const published = portion.filter(isNew).map((each) => notificationEvent(tenantId, each));
    await log.append(tx, tenantId, published);
  }
}

function portions(composed: Composed[]): Composed[][] {
  const all: Composed[][] = [];
  let size = MAX_RECIPIENTS;
  for (const each of composed) {
    if (size >= MAX_RECIPIENTS) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(each);
    size += each.recipients.length;
  }
  return all;
}

/** The event is published on the channels of the event that led to the notification. */
const notificationEvent = (tenantId: string, { row, lead }: Composed) => ({
  type: 'notification.add',
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: lead.channels,
  data: presentNotification({ tenantId, userId: undefined }, row, annotationIn(lead.data)),
});
