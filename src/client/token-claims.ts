/** What the client reads in a user token. */
interface Claims {
  sub: string;
  /** In seconds. */
  iat: number;
  exp: number;
}

/** The claims of a user token. @throws for a text that is no token */
export function claimsOf(token: string): Claims {
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = (byte: string) => byte.charCodeAt(0).toString(16).padStart(2, '0');
  return JSON.parse(decodeURIComponent(text.replaceAll(/./gs, (byte) => `%${hex(byte)}`)));
}
