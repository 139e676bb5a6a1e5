/** The claims of a user token that the client reads. */
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
  // The bytes of UTF-8, each as two hexadecimal digits.
  const encode = (byte: string) => `%${(byte.charCodeAt(0) + 256).toString(16).slice(1)}`;
  return JSON.parse(decodeURIComponent(text.replace(/./gs, encode)));
}
