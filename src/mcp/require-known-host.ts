import type { FastifyRequest } from 'fastify';
import { isOwnHost } from '../api/credentials/client-address.ts';
import { AppError } from '../platform/errors.ts';

/**
 * Admits requests to the public address, or to an address without a name, and of pages from there:
 * whoever owns another name can make it lead to this machine, and a browser with it.
 *
 * @throws PERMISSION_DENIED
 */
export function requireKnownHost({ headers }: FastifyRequest, publicUrl: string): void {
  const own = new URL(publicUrl).host;
  const isKnown = (host: string) => host === own || isOwnHost(host);
  const { host = '', origin } = headers;
  const from = origin === undefined || !URL.canParse(origin) ? origin : new URL(origin).host;
  if (isKnown(host) && (from === undefined || isKnown(from))) return;
  throw new AppError(
    'PERMISSION_DENIED',
    `Agents reach this server at ${new URL('/mcp', publicUrl)} only: its address is the setting PUBLIC_URL.`,
  );
}
