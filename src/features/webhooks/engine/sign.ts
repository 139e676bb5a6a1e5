import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';

/** The key of a secret as it is shown: an object, since to make one costs more than to sign. */
export const keyOf = (secret: string): KeyObject =>
  createSecretKey(secret.slice(PREFIX.length), 'base64');

/** The headers of Standard Webhooks: a signature by each key, so that a rotated one still fits. */
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
