/** What a delivery's id says of its row. */
export interface DeliveryKey {
  endpointId: string;
  createdAt: Date;
  eventId: string;
}

/**
 * An id that leads to its row without an index of its own: `<endpoint>.<time of the event>.<event>`.
 * The event's number would do as well, but it counts all tenants.
 */
export const deliveryIdOf = ({ endpointId, createdAt, eventId }: DeliveryKey): string =>
  `${endpointId}.${createdAt.getTime().toString(36)}.${eventId}`;

/** @returns undefined for what is no id of a delivery */
export function readDeliveryId(id: string): DeliveryKey | undefined {
  const [endpointId = '', time = '', eventId = '', ...rest] = id.split('.');
  const createdAt = new Date(Number.parseInt(time, 36));
  const isTime = /^[0-9a-z]{1,11}$/.test(time) && !Number.isNaN(createdAt.getTime());
  return isTime && eventId !== '' && rest.length === 0
    ? { endpointId, createdAt, eventId }
    : undefined;
}
