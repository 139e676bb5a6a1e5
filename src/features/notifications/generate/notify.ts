import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { insertNotifications } from '../insert-notifications.ts';
import { presentNotification } from '../present-notification.ts';
import { type AnnotationEvent, annotationIn } from './annotation-event.ts';
import { type Composed, composeNotifications } from './compose.ts';
import { filterByPreference } from './filter-by-preference.ts';
import { loadRecipients } from './recipients.ts';

interface Notified {
  tenantId: string;
  /** Events that are told together: of one annotation, in order. */
  threads: AnnotationEvent[][];
  /** Who need not be told of an event any more. */
  knows?: (userId: string, event: AnnotationEvent) => boolean;
}

/** How many recipients one statement writes, so that it ends long before its time is up. */
const MOST_AT_ONCE = 20_000;

/**
 * Makes the notifications of events of one tenant, and tells of each that is new. The number of
 * statements does not depend on that of the events, unless their recipients are very many.
 *
 * Nobody becomes a member of the organization here: those who are named became one, where the key
 * wants that, when they were; whoever was taken out since is not let in again by an old thread.
 */
export async function notify(
  { events: log, clock }: Pick<Services, 'events' | 'clock'>,
  tx: Transaction,
  { tenantId, threads, knows = () => false }: Notified,
): Promise<void> {
  const recipients = await loadRecipients(tx, tenantId, threads.flat(), unixSeconds(clock));
  const told = threads.flat().map((event) => ({
    event,
    recipients: (recipients.get(event.id) ?? []).filter(({ user }) => !knows(user.userId, event)),
  }));
  const wanting = await filterByPreference(tx, tenantId, told);
  const byEvent = new Map(wanting.map((each) => [each.event.id, each]));
  const composed = threads.flatMap((thread) => {
    const own = thread.flatMap((event) => byEvent.get(event.id) ?? []);
    return composeNotifications(own, clock.now());
  });
  for (const some of portions(composed)) {
    const rows = some.map(({ row }) => row);
    const named = some.flatMap((each) => each.recipients);
    const added = await insertNotifications(tx, tenantId, rows, named);
    const isNew = ({ row }: Composed) => added.has(row.notificationId);
    const news = some.filter(isNew).map((each) => notificationEvent(tenantId, each));
    await log.append(tx, tenantId, news);
  }
}

function portions(composed: Composed[]): Composed[][] {
  const all: Composed[][] = [];
  let size = MOST_AT_ONCE;
  for (const each of composed) {
    if (size >= MOST_AT_ONCE) {
      all.push([]);
      size = 0;
    }
    all.at(-1)?.push(each);
    size += each.recipients.length;
  }
  return all;
}

/** It is told where the event is told that led to it. */
const notificationEvent = (tenantId: string, { row, lead }: Composed) => ({
  type: 'notification.add',
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: lead.channels,
  data: presentNotification({ tenantId, userId: undefined }, row, annotationIn(lead.data)),
});
