/**
 * Why a sign-in by OpenID Connect was refused. The address of the sign-in page has only the name of the message:
 * anybody can write an address, so the page shows no text from it.
 */
export const OPEN_ID_REFUSALS = {
  email: 'The provider did not send a verified email address.',
  domain: 'Email addresses of this domain may not sign in.',
  role: 'The provider did not send a console role for you: administrator, operator or reader.',
  provider: 'The single sign-on provider did not confirm who you are. Try again.',
} as const;

export type OpenIdRefusal = keyof typeof OPEN_ID_REFUSALS;

/** Whether a text is a path on this site. Browsers take what follows `//` or `/\\` for a host. */
export const isConsolePath = (text: unknown): text is string =>
  typeof text === 'string' && /^\/(?![/\\])/.test(text);
