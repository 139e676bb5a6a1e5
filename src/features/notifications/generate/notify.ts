import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { dataAfter, type LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { Triggers } from '../../settings/triggers.ts';
import {
  insertNotificationsSql,
  insertRecipientsSql,
  NOTIFICATION_CONSTRAINTS,
} from '../insert-notifications.ts';
import { notificationAddedEvent } from '../present-notification.ts';
import { type AnnotationEvent, annotationOf } from './annotation-event.ts';
import { type Composed, composeNotifications } from './compose.ts';
import { type Candidate, selectRecipients } from './recipients.ts';

interface NotifyInput {
  tenantId: string;
  triggers: Triggers;
  /** The events of a batch are about one annotation, in order, and share a notification. */
  batches: AnnotationEvent[][];
  /** Whether the events have waited. If so, users who have read the annotation since are not notified. */
  haveWaited: boolean;
}

/** About how many recipients one statement writes, far fewer than its timeout allows. */
const RECIPIENTS_AT_ONCE = 20_000;

/**
 * Writes the notifications about one tenant's events, and publishes those that are new, on the
 * channels of the events that they show. The number of statements does not depend on the number
 * of events, unless there are very many recipients.
 *
 * Recipients do not become members of the organization here, even with `requireAutoOrgUser`: that
 * happened when they were named, and a member who has been removed since must not return.
 */
export async function notify(
  { events: eventLog, clock }: Pick<Services, 'events' | 'clock'>,
  tx: Transaction,
  { tenantId, triggers, batches, haveWaited }: NotifyInput,
): Promise<void> {
  const query = { tenantId, triggers, events: batches.flat(), now: unixSeconds(clock) };
  const selected = await selectRecipients(tx, query, 'inbox');
  const recipientsOf = new Map(selected.map(({ event, recipients }) => [event.id, recipients]));
  const unknownIds = new Set(
    selected.flatMap(({ recipients }) =>
      recipients.filter(({ isKnown }) => !isKnown).map(({ user }) => user.userId),
    ),
  );
  // An unknown user may have been deleted after the event. For events that have waited, this needs no check:
  // the deletion has already ended the user's subscriptions.
  const [first] = query.events;
  const deletedIds =
    first && unknownIds.size > 0 && !haveWaited
      ? await usersDeletedAfter(tx, first)
      : new Set<string>();
  const mustSkip = ({ user, isKnown, hasRead }: Candidate) =>
    haveWaited ? hasRead : !isKnown && deletedIds.has(user.userId);
  const composed = batches.flatMap((batch) => {
    const notified = batch.map((event) => {
      const recipients = recipientsOf.get(event.id) ?? [];
      return { event, recipients: recipients.filter((candidate) => !mustSkip(candidate)) };
    });
    return composeNotifications(notified, clock.now());
  });
  for (const chunk of chunksOf(composed)) {
    const rows = chunk.map(({ row }) => row);
    // Only unknown users are created. If a known user is deleted meanwhile, inserting the notifications fails,
    // and the transaction is retried without the user.
    const users = chunk
      .flatMap(({ recipients }) => recipients)
      .filter(({ userId }) => unknownIds.has(userId));
    const insertion = await insertNotificationsSql(tenantId, rows, sql`ON CONFLICT DO NOTHING`);
    const [, added] = await pipeline([
      tx.query(insertRecipientsSql(tenantId, users)),
      retryOnViolation(tx.query<{ id: string }>(insertion), NOTIFICATION_CONSTRAINTS),
    ]);
    const newIds = new Set(added.map(({ id }) => id));
    const published = chunk
      .values()
      .filter(({ row }) => newIds.has(row.notificationId))
      .map(({ row, shownEvent }) =>
        notificationAddedEvent(tenantId, row, shownEvent.channels, annotationOf(shownEvent.data)),
      );
    await eventLog.append(tx, tenantId, published);
  }
}

/** Returns the users whom later events delete. The reader may not have reached these events yet. */
async function usersDeletedAfter(tx: Transaction, event: LoggedEvent): Promise<Set<string>> {
  const { tenantId, sequence } = event;
  const deletions = await dataAfter(tx, { tenantId, type: 'user.delete', sequence });
  return new Set(deletions.map(({ data }) => (data as { userId: string }).userId));
}

/** Divides notifications into chunks for one statement each. */
function* chunksOf(composed: Composed[]): Generator<Composed[]> {
  let chunk: Composed[] = [];
  let size = 0;
  for (const each of composed) {
    chunk.push(each);
    size += each.recipients.length;
    if (size < RECIPIENTS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) yield chunk;
}
