import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { classifyDatabaseError } from '../../../platform/database/database-errors.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { presentEvent } from '../../events/get-events.ts';
import type { PresentedEvent } from '../../events/schema.ts';
import { BASIC_PROCESSED } from '../basic/basic-endpoints.ts';
import { processEvents } from '../basic/processed.ts';
import type { DueDelivery } from './load-due.ts';

type Context = Pick<Services, 'db' | 'clock' | 'log'>;

/** The bodies of deliveries whose events are still kept. */
export async function bodiesOf(
  ctx: Context,
  due: DueDelivery[],
): Promise<Map<DueDelivery, string>> {
  const bodies = new Map<DueDelivery, string>();
  for (const delivery of due) {
    if (delivery.data === null) continue;
    bodies.set(delivery, bodyOf(presentEvent(eventOf(delivery, undefined)), delivery.data));
  }
  const processed = [...bodies.keys()].filter(({ endpointId }) => endpointId === BASIC_PROCESSED);
  for (const [tenantId, deliveries] of Map.groupBy(processed, (one) => one.tenantId)) {
    const events = deliveries.map((one) => eventOf(one, JSON.parse(one.data ?? 'null')));
    const data = await process(ctx, tenantId, events);
    for (const [index, delivery] of deliveries.entries()) {
      const event = events[index];
      if (!event) continue;
      const text = JSON.stringify(data.get(event.id) ?? event.data);
      bodies.set(delivery, bodyOf(presentEvent(event), text));
    }
  }
  return bodies;
}

/** Falls back to the unprocessed events, so that one malformed event does not block the others. */
async function process(
  { db, clock, log }: Context,
  tenantId: string,
  events: LoggedEvent[],
): Promise<Map<string, object>> {
  try {
    return await processEvents(db, tenantId, events, unixSeconds(clock));
  } catch (error) {
    if (classifyDatabaseError(error)) throw error;
    log.error({ tenantId, err: error }, 'Events could not be processed for their webhook.');
    return new Map();
  }
}

const eventOf = (delivery: DueDelivery, data: unknown): LoggedEvent => ({
  tenantId: delivery.tenantId,
  sequence: delivery.sequence,
  id: delivery.eventId,
  type: delivery.eventType,
  organizationId: delivery.organizationId,
  documentId: delivery.documentId,
  // Bodies do not show channels.
  channels: [],
  data,
  createdAt: delivery.createdAt,
});

/**
 * The request body of an event, the same bytes at every attempt. The stored text of the data is
 * inserted as it is: parsing and serializing it again would cost more than everything else.
 */
export function bodyOf(event: Omit<PresentedEvent, 'data'>, data: string): string {
  const { id, type, timestamp, metadata } = event;
  const head = JSON.stringify({ id, type, timestamp, metadata });
  return `${head.slice(0, -1)},"data":${data}}`;
}
