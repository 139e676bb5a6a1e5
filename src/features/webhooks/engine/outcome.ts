import { readRetryAfter } from '../../../platform/outbound/retry-after.ts';
import type { ReadyDelivery } from './endpoint-queue.ts';
import type { PostResult } from './post.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each retry. A delivery is given up when its last retry fails. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

const JITTER = 0.2;

/** An endpoint that fails for this long without one success is disabled. */
const FAILING_LIMIT_MS = 5 * 24 * HOUR;

interface AttemptContext {
  /** When the attempt began, in epoch milliseconds. */
  startedAt: number;
  /** When the attempt ended, in epoch milliseconds. */
  now: number;
  /** The time since which the endpoint has only failed. */
  failingSince: Date | null;
  canBeDisabled: boolean;
  random: number;
}

/** The result of one attempt, and the delivery's state that follows from it. */
export type AttemptOutcome = ReturnType<typeof outcomeOf>;

/** Decides whether a delivery is done, retried or given up. */
export function outcomeOf(
  delivery: ReadyDelivery,
  result: PostResult,
  { startedAt, now, failingSince: failingBefore, canBeDisabled, random }: AttemptContext,
) {
  const { tenantId, endpointId, createdAt, sequence, dueAt: wasDueAt } = delivery;
  const { statusCode, latencyMs, excerpt } = result;
  const isDelivered = isSuccess(result);
  const failures = isDelivered ? 0 : delivery.failures + 1;
  const failingAfter = isDelivered ? null : (failingBefore ?? new Date(now));
  const disableReason =
    failingAfter && canBeDisabled ? disableReasonOf(statusCode, failingAfter, now) : undefined;
  // The five days start over when a disabled endpoint is enabled again.
  const failingSince = disableReason ? null : failingAfter;
  // The body is null if the event is no longer stored, so a retry would have nothing to send.
  const isLast = isDelivered || disableReason === 'gone' || delivery.body === null;
  const delayMs = isLast
    ? undefined
    : retryDelayMs(failures, readRetryAfter(result.retryAfter, now), random);
  const retryAt = delayMs === undefined ? null : new Date(now + delayMs);
  return {
    tenantId,
    endpointId,
    createdAt,
    sequence,
    /** The due time when the request was sent. The row has another one if the delivery has been resent since. */
    wasDueAt,
    at: new Date(startedAt),
    statusCode,
    latencyMs,
    excerpt,
    error: errorMessageOf(result),
    status: isDelivered ? 'delivered' : retryAt ? 'pending' : 'failed',
    dueAt: retryAt,
    settledAt: retryAt ? null : new Date(now),
    failures,
    failingSince,
    /** Whether `failingSince` was set or cleared. */
    changesFailingSince: (failingSince === null) !== (failingBefore === null),
    disableReason,
  };
}

const isSuccess = ({ statusCode, error }: PostResult): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

function disableReasonOf(statusCode: number | null, since: Date, now: number) {
  if (statusCode === 410) return 'gone';
  return now - since.getTime() >= FAILING_LIMIT_MS ? 'failing' : undefined;
}

function errorMessageOf(result: PostResult): string | null {
  const { statusCode, error } = result;
  if (error !== null || isSuccess(result)) return error;
  return statusCode !== null && statusCode >= 300 && statusCode < 400
    ? `The endpoint responded with ${statusCode}, but redirects are not followed.`
    : `The endpoint responded with ${statusCode}.`;
}

/**
 * Returns the delay before the next retry in milliseconds, or undefined if there are no more retries.
 *
 * @param failures how many attempts in a row have failed, including the last one
 * @param retryAfterMs the delay that the receiver asks for; limited to between one and two usual delays
 * @param random from 0 to 1; spreads out deliveries that failed together
 */
export function retryDelayMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failures - 1];
  if (delayMs === undefined) return undefined;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, delayMs), 2 * delayMs);
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}
