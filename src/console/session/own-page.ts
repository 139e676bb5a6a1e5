import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';

/**
 * Admits requests of the console's own page: other sites can neither set this header nor hide where
 * a request comes from.
 *
 * @throws PERMISSION_DENIED
 */
export function requireOwnPage({ headers, host }: FastifyRequest, publicUrl: string): void {
  const { 'sec-fetch-site': site, origin } = headers;
  const isOwnSite = site === undefined || site === 'same-origin';
  // Proxies may send another host than the browser's, which then has the public one.
  const isOwnOrigin =
    origin === undefined || [host, hostOf(publicUrl)].includes(hostOf(origin) ?? 'none');
  if (!isOwnSite || !isOwnOrigin || headers['x-console'] !== '1') {
    throw new AppError('PERMISSION_DENIED', 'The console takes requests of its own page only.');
  }
}

const hostOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host : undefined;
