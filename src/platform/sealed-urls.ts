import type { Secrets } from './secrets.ts';

/**
 * Addresses that customers give often hold secrets: in the query, before the host, or as a part of
 * the path. So they are sealed as a whole where they are stored, and masked where they are shown.
 */

/** An address as it is stored; an empty one stays empty. */
export const sealUrl = (secrets: Secrets, url: string, place: string): string =>
  url === '' ? '' : secrets.seal(url, place);

/** Addresses from before they were sealed stand there as they are. */
export const isPlainUrl = (stored: string): boolean => stored === '' || /^https?:/i.test(stored);

/** @throws Error when no key opens it. */
export const openUrl = (secrets: Secrets, stored: string, place: string): string =>
  isPlainUrl(stored) ? stored : secrets.open(stored, place);

const MASK = '…';
const CREDENTIALS = /^(https?:\/\/[^/?#@:]*):[^/?#@]*@/i;
/** Values of parameters that are named like secrets: `token`, `api_key`, `apiKey`, `sig`. */
const SECRET_VALUE =
  /([?&](?:[^=&#]*(?:token|secret|password|passwd|pwd|signature|credentials?|key)|(?:[^=&#]*[_.-])?(?:sig|auth|pass|code))=)[^&#]+/gi;

/** An address as it may be shown: `https://example.com/hook?token=…`. */
export const maskUrl = (url: string): string =>
  url.replace(CREDENTIALS, `$1:${MASK}@`).replace(SECRET_VALUE, `$1${MASK}`);

/** Whether a caller gave back what was shown to her, which changes nothing. */
export const isMasked = (url: string): boolean => url.includes(MASK);
