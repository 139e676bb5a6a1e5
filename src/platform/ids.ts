import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random id of 20 letters and digits (119 bits), for anything that the server creates. */
export function newId(): string {
  let id = '';
  for (let i = 0; i < 20; i++) id += ALPHABET[randomInt(ALPHABET.length)];
  return id;
}

/** A credential of 256 random bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');
