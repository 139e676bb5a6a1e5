import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A valid request id from a client: up to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Returns the `x-request-id` of a request, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
}
