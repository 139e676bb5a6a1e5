import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { isOutage } from '../../../platform/database/database-errors.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { presentEvent } from '../../events/get-events.ts';
import type { PresentedEvent } from '../../events/schema.ts';
import { BASIC_PROCESSED } from '../basic-endpoints.ts';
import type { QueueKey } from '../queues.ts';
import { processEvents } from './process-events.ts';

/** A delivery that is due, with its event. */
export interface DueDelivery extends QueueKey {
  createdAt: Date;
  sequence: string;
  dueAt: Date;
  failures: number;
  eventId: string;
  eventType: string;
  organizationId: string | null;
  documentId: string | null;
  /** The stored JSON text; null if the event was deleted because of its age. */
  data: string | null;
}

/** Returns the bodies of deliveries to one endpoint; null for an event that is no longer stored. */
export async function bodiesOf(ctx: Services, due: DueDelivery[]): Promise<Array<string | null>> {
  const processed =
    due[0]?.endpointId === BASIC_PROCESSED ? await processedData(ctx, due) : undefined;
  return due.map((delivery) => {
    if (delivery.data === null) return null;
    const data = processed?.get(delivery.eventId);
    return bodyOf(presentEvent(eventOf(delivery)), data ? JSON.stringify(data) : delivery.data);
  });
}

/**
 * Returns the data for the processed webhook, with recipients and readable texts, by event id. Undefined after
 * a failure: the original data is then sent, so that one malformed event does not block the others.
 */
async function processedData(
  { db, clock, log }: Services,
  due: DueDelivery[],
): Promise<Map<string, object> | undefined> {
  const kept = due.filter(({ data }) => data !== null);
  const events = kept.map((delivery) => eventOf(delivery, JSON.parse(delivery.data ?? 'null')));
  const tenantId = events[0]?.tenantId ?? '';
  try {
    return await processEvents(db, tenantId, events, unixSeconds(clock));
  } catch (error) {
    if (isOutage(error)) throw error;
    log.error(
      { tenantId, err: error },
      'Events could not be processed for their webhook, and are sent unchanged.',
    );
    return undefined;
  }
}

const eventOf = (
  { eventId, eventType, ...delivery }: DueDelivery,
  data?: unknown,
): LoggedEvent => ({
  ...delivery,
  id: eventId,
  type: eventType,
  // Bodies do not show channels.
  channels: [],
  data,
});

/**
 * Returns the request body of an event, with the same bytes for every attempt. The stored text of the data is
 * inserted unchanged, because parsing and serializing it would cost more than everything else.
 */
export function bodyOf(event: Omit<PresentedEvent, 'data'>, data: string): string {
  const { id, type, timestamp, metadata } = event;
  const head = JSON.stringify({ id, type, timestamp, metadata });
  return `${head.slice(0, -1)},"data":${data}}`;
}
