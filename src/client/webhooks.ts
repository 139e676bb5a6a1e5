import type { AnyEvent } from '../api/contract.ts';

/** An event as webhooks deliver it. Its `type` shows what `data` holds. */
export type WebhookEvent = AnyEvent;

/** Thrown for a request that the service did not send, or sent too long ago. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

interface VerifyOptions {
  /** How far the time of a request may be from the local clock, in either direction; 300 by default. */
  toleranceSeconds?: number | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 5 * 60;
/** Standard Webhooks allows no shorter secrets. With an empty secret, anybody could sign. */
const MIN_SECRET_BYTES = 24;
const MALFORMED_SECRET =
  'A webhook secret is malformed: it must be `whsec_` followed by at least 24 bytes in base64, as the endpoint shows it.';
/** Further signatures are ignored, since each costs a pass over the body. */
const MAX_SIGNATURES = 16;

type RequestHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies the Standard Webhooks signature of a request, and resolves to the event in it. Handle each event's `id` only
 * once: all attempts to deliver an event have the same id. This works in every runtime that has WebCrypto.
 *
 * @param body the raw body, as bytes or text
 * @param headers the request headers of `node:http` or `fetch`
 * @param secrets the endpoint's secrets, `whsec_…`; during a rotation, the old and the new one
 * @throws WebhookVerificationError for a request that must be refused, and TypeError for a malformed secret or a body
 * that is not raw
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: RequestHeaders,
  secrets: string | string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) throw new TypeError(NOT_RAW);
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (keys.length === 0) throw new TypeError('No webhook secret was given.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  checkAge(timestamp, toleranceSeconds);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(keys, signed, signatures.split(' ')))) {
    throw new WebhookVerificationError('No signature matches.');
  }
  return JSON.parse(text);
}

const NOT_RAW =
  'Pass the raw body, as bytes or text: the signature covers the exact bytes, which a parsed body no longer has.';

function headerOf(headers: RequestHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookVerificationError(`The header ${name} is missing.`);
  return text;
}

function checkAge(timestamp: string, toleranceSeconds: number): void {
  const isSeconds = /^\d{1,12}$/.test(timestamp);
  const age = Date.now() / 1000 - Number(timestamp);
  const isRecent = isSeconds && Math.abs(age) <= toleranceSeconds;
  if (!isRecent) {
    throw new WebhookVerificationError('The request is too old, or from the future.');
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

async function keyOf(secret: string): Promise<CryptoKey> {
  const [, base64] = /^whsec_(\S+)$/.exec(secret.trim()) ?? [];
  const bytes = base64 && fromBase64(base64);
  if (!bytes || bytes.length < MIN_SECRET_BYTES) throw new TypeError(MALFORMED_SECRET);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

/** Whether one of the signatures was made with one of the keys. Each check takes constant time. */
async function isSigned(
  keys: CryptoKey[],
  signed: Bytes,
  signatureTexts: string[],
): Promise<boolean> {
  const signatures = signatureTexts
    .slice(0, MAX_SIGNATURES)
    .flatMap((text) => (text.startsWith('v1,') ? (fromBase64(text.slice(3)) ?? []) : []));
  const checks = signatures.flatMap((signature) =>
    keys.map((key) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return (await Promise.all(checks)).includes(true);
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
