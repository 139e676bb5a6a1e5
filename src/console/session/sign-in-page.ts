/**
 * Why a sign-in by OpenID Connect was refused. The sign-in page gets the name in its address, and
 * shows no other text, since anybody can write an address.
 */
export const OPEN_ID_REFUSALS = {
  email: 'The provider names no verified e-mail address.',
  domain: 'E-mail addresses of this domain may not sign in.',
  role: 'The provider names no role for this person: administrator, operator or reader.',
  provider: 'The provider of the single sign-on did not confirm who you are. Try again.',
} as const;

export type OpenIdRefusal = keyof typeof OPEN_ID_REFUSALS;

/** Whether a text is the path of a page of the console. A browser takes `//` and `/\\` for a host. */
export const isConsolePath = (text: unknown): text is string =>
  typeof text === 'string' && /^\/(?![/\\])/.test(text);
