/**
 * URLs from customers often contain secrets: in the query, before the host, or in the path. So they
 * are encrypted as a whole at rest, and masked for display.
 */

const MASK = '…';
const CREDENTIALS = /^(https?:\/\/[^/?#@:]*):[^/?#@]*@/i;
/** Parameters with values that are named like secrets: `token`, `api_key`, `apiKey`, `sig`. */
const SECRET_VALUE =
  /([?&](?:[^=&#]*(?:token|secret|password|passwd|pwd|signature|credentials?|key)|(?:[^=&#]*[_.-])?(?:sig|auth|pass|code))=)[^&#]+/gi;

/** Masks a URL for display: `https://example.com/hook?token=…`. */
export const maskUrl = (url: string): string =>
  url.replace(CREDENTIALS, `$1:${MASK}@`).replace(SECRET_VALUE, `$1${MASK}`);

/** Whether a URL is masked: a caller who sends it back wants to keep the stored one. */
export const isMasked = (url: string): boolean => url.includes(MASK);
