import { createHmac, timingSafeEqual } from 'node:crypto';

/** An event as webhooks deliver it. The content of `data` depends on the type. */
export interface WebhookEvent {
  /** The same for all attempts to deliver the event. Handle each id once. */
  id: string;
  type: string;
  /** The time of the event in ISO 8601. */
  timestamp: string;
  metadata: { apiKey: string; organizationId?: string; documentId?: string };
  data: unknown;
}

/** Thrown for a request that the service did not send recently. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

interface VerifyOptions {
  /** The greatest age of a request, or the greatest lead over the local clock. */
  toleranceSeconds?: number;
}

const DEFAULT_TOLERANCE_SECONDS = 5 * 60;

type RequestHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies the Standard Webhooks signature of a request, and returns its event.
 *
 * @param body the raw body, as bytes or text
 * @param headers the request headers of `node:http` or `fetch`
 * @param secrets the endpoint's secrets, `whsec_…`; during a rotation, the old and the new one
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: RequestHeaders,
  secrets: string | string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: VerifyOptions = {},
): WebhookEvent {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  checkAge(timestamp, toleranceSeconds);
  const keys = [secrets].flat().map(keyOf);
  if (!isSigned(keys, `${id}.${timestamp}.`, body, given.split(' '))) {
    throw new WebhookVerificationError('No signature fits.');
  }
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}

function headerOf(headers: RequestHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookVerificationError(`The header ${name} is missing.`);
  return text;
}

function checkAge(timestamp: string, toleranceSeconds: number): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The request is too old, or from the future.');
  }
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // With an empty key, anybody could sign.
  if (key.length === 0) throw new TypeError('A webhook secret is empty.');
  return key;
}

/** Every signature is compared with every key, each in constant time. */
function isSigned(
  keys: Buffer[],
  head: string,
  body: string | Uint8Array,
  given: string[],
): boolean {
  const signatures = given.flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
  const expected = keys.map((key) => createHmac('sha256', key).update(head).update(body).digest());
  return signatures.some((signature) => {
    const bytes = Buffer.from(signature, 'base64');
    return expected.some((right) => right.length === bytes.length && timingSafeEqual(right, bytes));
  });
}
