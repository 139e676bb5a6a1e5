/** Longer than any message or stack needs, to limit the time of the search. */
const MAX_CHARS = 20_000;

/** Matches the credentials before the host, as in `postgres://user:password@host`. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]{0,500}@/gi;
/** Matches the path and the query of a URL. */
const QUERY = /(\/[^\s?'"]{0,500})\?[^\s'")\]]+/g;
/** Matches JSON Web Tokens, and the credentials of an Authorization header. */
const TOKENS = /\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*|\b(?:Bearer|Basic) +[\w.+/=~-]{12,}/gi;

/** Removes the credentials in URLs and headers from a text, so that it may be logged. */
export const redactSecrets = (text: string): string =>
  text
    .slice(0, MAX_CHARS)
    .replace(CREDENTIALS, '$1[secret]@')
    .replace(QUERY, '$1?[secret]')
    .replace(TOKENS, '[secret]');
