/**
 * URLs from customers often contain secrets: in the query, before the host, or in the path. So URLs
 * are stored encrypted as a whole, and masked for display.
 */

const MASK = '…';
const CREDENTIALS = /^(https?:\/\/[^/?#@:]*):[^/?#@]*@/i;
/** Query parameters whose names suggest secrets, such as `token`, `api_key`, `apiKey` and `sig`. */
const SECRET_VALUE =
  /([?&](?:[^=&#]*(?:token|secret|password|passwd|pwd|signature|credentials?|key)|(?:[^=&#]*[_.-])?(?:sig|auth|pass|code))=)[^&#]+/gi;

/** Masks a URL for display: `https://example.com/hook?token=…`. */
export const maskUrl = (url: string): string =>
  url.replace(CREDENTIALS, `$1:${MASK}@`).replace(SECRET_VALUE, `$1${MASK}`);

/** Whether a URL is masked. A caller who sends a masked URL back wants to keep the stored one. */
export const isMasked = (url: string): boolean => url.includes(MASK);
