import { domainToASCII } from 'node:url';

/**
 * Whether a request may use a key. Requests without `Origin` come from servers and pass; a key
 * without domains may be used from anywhere (decisions section 3).
 */
export function isAllowedOrigin(origin: string | undefined, allowedDomains: string[]): boolean {
  if (origin === undefined || allowedDomains.length === 0) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, protocol } = new URL(origin);
  // `app://localhost` or an extension is no page of that host.
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  // Stored domains have lost their `www.`, so the origin's must not count either. To a wildcard it
  // is a subdomain like any other.
  const host = hostname.replace(WWW, '');
  return allowedDomains.some((domain) =>
    domain.startsWith('*.') ? hostname.endsWith(domain.slice(1)) : host === domain,
  );
}

/** `www.` before a domain; in `www.com` it is part of the domain. */
const WWW = /^www\.(?=.+\.)/i;

/** Of a domain in ASCII; with other characters it is shorter. Some of those stand for eighteen. */
const MAX_DOMAIN = 253;

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * What is stored for a domain or URL as a caller writes it: no protocol, `www.`, port or path,
 * lower case, punycode; a leading `*.` stays (specification 4.20).
 *
 * @returns undefined for what is no domain.
 */
export function normalizeDomain(text: string): string | undefined {
  const withoutProtocol = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const authority = withoutProtocol.split(/[/?#]/)[0] ?? '';
  const wildcard = authority.startsWith('*.');
  const host = authority.slice(wildcard ? 2 : 0).replace(/:\d{1,5}$/, '');
  if (host.length > MAX_DOMAIN || host.normalize('NFKC').length > MAX_DOMAIN) return undefined;
  // Below a wildcard `www.` stays: `*.www.example.com` must not come to mean `*.example.com`.
  const domain = domainToASCII(wildcard ? host : host.replace(WWW, ''));
  const labels = domain.split('.');
  const isDomain =
    domain.length <= MAX_DOMAIN &&
    labels.every((label) => LABEL.test(label)) &&
    (labels.length > 1 || (domain === 'localhost' && !wildcard));
  return isDomain ? `${wildcard ? '*.' : ''}${domain}` : undefined;
}
