import type { Services } from '../../../api/context.ts';
import { presentEvent } from '../../events/get-events.ts';
import { BASIC_PROCESSED } from '../basic/basic-endpoints.ts';
import { bodyOf } from './body.ts';
import type { DueDelivery } from './load-due.ts';

/** The bodies of deliveries whose events are still kept. */
export async function bodiesOf(
  _ctx: Services,
  due: DueDelivery[],
): Promise<Map<DueDelivery, string>> {
  const bodies = new Map<DueDelivery, string>();
  for (const delivery of due) {
    if (delivery.data === null || delivery.endpointId === BASIC_PROCESSED) continue;
    bodies.set(delivery, bodyOf(eventOf(delivery), delivery.data));
  }
  return bodies;
}

const eventOf = (delivery: DueDelivery) =>
  presentEvent({
    tenantId: delivery.tenantId,
    sequence: delivery.sequence,
    id: delivery.eventId,
    type: delivery.eventType,
    organizationId: delivery.organizationId,
    documentId: delivery.documentId,
    channels: delivery.channels ?? [],
    data: undefined,
    createdAt: delivery.createdAt,
  });
