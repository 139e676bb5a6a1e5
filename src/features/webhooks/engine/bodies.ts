import type { Services } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import { presentEvent } from '../../events/get-events.ts';
import { BASIC_PROCESSED } from '../basic/basic-endpoints.ts';
import { processEvents } from '../basic/processed.ts';
import { bodyOf } from './body.ts';
import type { DueDelivery } from './load-due.ts';

/** The bodies of deliveries whose events are still kept. */
export async function bodiesOf(
  ctx: Pick<Services, 'db' | 'clock'>,
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
    const data = await processEvents(ctx.db, tenantId, events, unixSeconds(ctx.clock));
    for (const [index, delivery] of deliveries.entries()) {
      const event = events[index];
      if (!event) continue;
      const text = JSON.stringify(data.get(event.id) ?? event.data);
      bodies.set(delivery, bodyOf(presentEvent(event), text));
    }
  }
  return bodies;
}

const eventOf = (delivery: DueDelivery, data: unknown): LoggedEvent => ({
  tenantId: delivery.tenantId,
  sequence: delivery.sequence,
  id: delivery.eventId,
  type: delivery.eventType,
  organizationId: delivery.organizationId,
  documentId: delivery.documentId,
  channels: delivery.channels ?? [],
  data,
  createdAt: delivery.createdAt,
});
