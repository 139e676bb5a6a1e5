/** More than any message or stack needs, so that looking through it takes a bounded time. */
const MAX_CHARS = 20_000;

/** `postgres://user:password@host`: what stands before the host. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]{0,500}@/gi;
/** What follows the path of an address. */
const QUERY = /(\/[^\s?'"]{0,500})\?[^\s'")\]]+/g;
const TOKENS = /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*|\b(?:Bearer|Basic) +[\w.+/=~-]{12,}/gi;

/** A text as it may be logged: without what addresses and headers in it carry of credentials. */
export const cutSecrets = (text: string): string =>
  text
    .slice(0, MAX_CHARS)
    .replace(CREDENTIALS, '$1[secret]@')
    .replace(QUERY, '$1?[secret]')
    .replace(TOKENS, '[secret]');
