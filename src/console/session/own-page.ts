import type { FastifyRequest } from 'fastify';
import { isOwnHost } from '../../api/credentials/client-address.ts';
import { AppError } from '../../platform/errors.ts';

/**
 * Refuses requests that do not come from the console's own page: other sites can neither set `x-console` nor forge
 * `Origin` and `Sec-Fetch-Site`. The page is at the public address, at an IP address or at `localhost`. Any other name
 * is refused, because its owner could make it lead to this machine (DNS rebinding).
 *
 * @throws PERMISSION_DENIED
 */
export function refuseOtherSites({ headers, host }: FastifyRequest, publicUrl: string): void {
  const { 'sec-fetch-site': site, origin } = headers;
  // A proxy may change the Host header. The Origin header still has the host that the browser used.
  const pageHost = origin === undefined ? host : hostOf(origin);
  const isKnownHost = pageHost === hostOf(publicUrl) || (pageHost === host && isOwnHost(host));
  const isSameOrigin = site === undefined || site === 'same-origin';
  if (!isSameOrigin || !isKnownHost || headers['x-console'] !== '1') {
    const message = `The console accepts requests only from its own page, at ${publicUrl}/console.`;
    throw new AppError('PERMISSION_DENIED', message);
  }
}

const hostOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host : undefined;
