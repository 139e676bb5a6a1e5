import { domainToASCII } from 'node:url';

/**
 * Whether a request may use a key. Requests without `Origin` come from servers and are allowed; a
 * key without domains may be used from anywhere.
 */
export function isAllowedOrigin(origin: string | undefined, allowedDomains: string[]): boolean {
  if (origin === undefined || allowedDomains.length === 0) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, protocol } = new URL(origin);
  // The host of `app://localhost` or of a browser extension is not a domain.
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  // Stored domains have no `www.`, so it is removed from the origin too. A wildcard matches `www.`
  // like any other subdomain.
  const host = hostname.replace(WWW, '');
  return allowedDomains.some((domain) =>
    domain.startsWith('*.') ? hostname.endsWith(domain.slice(1)) : host === domain,
  );
}

/** `www.` in front of a domain. In `www.com` it is part of the domain itself. */
const WWW = /^www\.(?=.+\.)/i;

/**
 * The longest domain in ASCII. Longer texts are refused before their slow conversion, even if only
 * their NFKC form is longer.
 */
const MAX_DOMAIN_LENGTH = 253;

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Normalizes a domain or URL for storage: without protocol, `www.`, port and path, in lower case
 * and punycode. A leading `*.` is kept (specification 4.20).
 *
 * @returns undefined for anything that is not a domain
 */
export function normalizeDomain(text: string): string | undefined {
  const withoutProtocol = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const authority = withoutProtocol.split(/[/?#]/)[0] ?? '';
  const isWildcard = authority.startsWith('*.');
  const host = authority.slice(isWildcard ? 2 : 0).replace(/:\d{1,5}$/, '');
  if (host.length > MAX_DOMAIN_LENGTH || host.normalize('NFKC').length > MAX_DOMAIN_LENGTH)
    return undefined;
  // `www.` is kept in a wildcard, since `*.www.example.com` must not become `*.example.com`.
  const domain = domainToASCII(isWildcard ? host : host.replace(WWW, ''));
  const labels = domain.split('.');
  const isDomain =
    domain.length <= MAX_DOMAIN_LENGTH &&
    labels.every((label) => LABEL.test(label)) &&
    (labels.length > 1 || (domain === 'localhost' && !isWildcard));
  return isDomain ? `${isWildcard ? '*.' : ''}${domain}` : undefined;
}
