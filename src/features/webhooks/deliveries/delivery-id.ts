/** The parts of a delivery's id, which find its row. */
export interface DeliveryKey {
  endpointId: string;
  createdAt: Date;
  eventId: string;
}

/**
 * An id that finds its row by the existing index: `<endpoint>.<time of the event>.<event>`. The
 * event's sequence number would show callers how many events all tenants have.
 */
export const deliveryIdOf = ({ endpointId, createdAt, eventId }: DeliveryKey): string =>
  `${endpointId}.${createdAt.getTime().toString(36)}.${eventId}`;

/** @returns undefined when the text is not the id of a delivery */
export function readDeliveryId(id: string): DeliveryKey | undefined {
  const [endpointId = '', time = '', eventId = '', ...rest] = id.split('.');
  const createdAt = new Date(Number.parseInt(time, 36));
  const isTime = /^[0-9a-z]{1,11}$/.test(time) && !Number.isNaN(createdAt.getTime());
  return isTime && eventId !== '' && rest.length === 0
    ? { endpointId, createdAt, eventId }
    : undefined;
}
