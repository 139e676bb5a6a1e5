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
  const { host = '', origin } = headers;
  const addresses = [`http://${host}`, ...(origin === undefined ? [] : [origin])];
  const own = hostnameOf(publicUrl);
  const isKnown = (name: string) => name === own || (name !== '' && isOwnHost(name));
  if (addresses.map(hostnameOf).every(isKnown)) return;
  throw new AppError(
    'PERMISSION_DENIED',
    `Agents reach this server at ${new URL('/mcp', publicUrl)} only: its address is the setting PUBLIC_URL, and proxies have to pass on the header Host.`,
  );
}

/** Proxies may leave out the port. */
const hostnameOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).hostname : '';
