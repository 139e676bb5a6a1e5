/** The parts of a delivery's id, which together identify its row. */
interface DeliveryKey {
  endpointId: string;
  /** The time of the event. */
  createdAt: Date;
  eventId: string;
}

/**
 * Returns the id `<endpoint>.<time of the event in base 36>.<event>`, by which the primary key finds
 * the row. An id with the event's sequence number would reveal how many events all tenants have.
 */
export const deliveryIdOf = ({ endpointId, createdAt, eventId }: DeliveryKey): string =>
  `${endpointId}.${createdAt.getTime().toString(36)}.${eventId}`;

/** Returns the parts of an id; undefined if the text is not the id of a delivery. */
export function readDeliveryId(id: string): DeliveryKey | undefined {
  const [endpointId = '', time = '', eventId = '', ...rest] = id.split('.');
  const createdAt = new Date(Number.parseInt(time, 36));
  // The latest possible time has eleven digits.
  const isTime = /^[0-9a-z]{1,11}$/.test(time) && !Number.isNaN(createdAt.getTime());
  return isTime && eventId !== '' && rest.length === 0
    ? { endpointId, createdAt, eventId }
    : undefined;
}
