import type { PresentedEvent } from '../../events/schema.ts';

/**
 * The body that tells of an event: the same bytes whenever it is made. The data are put in as the
 * text that was stored; to parse and write them again would cost more than all the rest.
 */
export function bodyOf(event: Omit<PresentedEvent, 'data'>, data: string): string {
  const { id, type, timestamp, metadata } = event;
  const head = JSON.stringify({ id, type, timestamp, metadata });
  return `${head.slice(0, -1)},"data":${data}}`;
}
