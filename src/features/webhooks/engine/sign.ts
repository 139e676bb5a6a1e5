import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * Returns the signing key of a secret. Callers keep it, because creating the object costs more than
 * signing.
 */
export const signingKeyOf = (secret: string): KeyObject =>
  createSecretKey(secret.slice(PREFIX.length), 'base64');

/** Returns the headers of Standard Webhooks. Each key has a signature, so that receivers may still use an old secret. */
export function signedHeaders(
  keys: KeyObject[],
  id: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const content = `${id}.${timestampSeconds}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
