import type { PresentedEvent } from '../../events/schema.ts';

/**
 * The request body of an event, the same bytes at every attempt. The stored text of the data is
 * inserted as it is: parsing and serializing it again would cost more than everything else.
 */
export function bodyOf(event: Omit<PresentedEvent, 'data'>, data: string): string {
  const { id, type, timestamp, metadata } = event;
  const head = JSON.stringify({ id, type, timestamp, metadata });
  return `${head.slice(0, -1)},"data":${data}}`;
}
