import { readRetryAfter } from '../../../platform/outbound/retry-after.ts';
import type { ReadyDelivery } from './endpoint-queue.ts';
import type { PostResult } from './post.ts';
import { FAILING_LIMIT_MS, retryDelayMs } from './schedule.ts';

/** Why an endpoint was disabled without its owner. */
type DisableReason = 'gone' | 'failing';

/** The result of one attempt, and the delivery's state that follows from it. */
export interface AttemptOutcome {
  tenantId: string;
  endpointId: string;
  createdAt: Date;
  sequence: string;
  /** The due time when the request was sent. A resend meanwhile has changed it in the row. */
  wasDueAt: Date;
  status: 'pending' | 'delivered' | 'failed';
  dueAt: Date | null;
  settledAt: Date | null;
  failures: number;
  /** Epoch milliseconds. */
  at: number;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  excerpt: string | null;
  /** Since when the endpoint has only failed, and whether it began to fail, or to succeed again. */
  failingSince: Date | null;
  hasTurned: boolean;
  disable: DisableReason | undefined;
}

interface Circumstances {
  /** Epoch milliseconds, when the attempt began and when it ended. */
  startedAt: number;
  now: number;
  failingSince: Date | null;
  canBeDisabled: boolean;
  random: number;
}

const isSuccess = ({ statusCode, error }: PostResult): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

/** Decides whether a delivery is done, retried or given up (decisions section 7). */
export function outcomeOf(
  delivery: ReadyDelivery,
  result: PostResult,
  { startedAt, now, failingSince, canBeDisabled, random }: Circumstances,
): AttemptOutcome {
  const { tenantId, endpointId, createdAt, sequence, dueAt: wasDueAt } = delivery;
  const { statusCode, latencyMs, excerpt } = result;
  const row = { tenantId, endpointId, createdAt, sequence, wasDueAt };
  const seen = { at: startedAt, statusCode, latencyMs, excerpt, error: errorOf(result) };
  const settled = { dueAt: null, settledAt: new Date(now) };
  if (isSuccess(result)) {
    const hasTurned = failingSince !== null;
    const good = { failures: 0, failingSince: null, hasTurned, disable: undefined };
    return { ...row, ...seen, ...settled, ...good, status: 'delivered' };
  }
  const failures = delivery.failures + 1;
  const since = failingSince ?? new Date(now);
  const disable = canBeDisabled ? disableReason(statusCode, since, now) : undefined;
  // The five days start over when a disabled endpoint is enabled again.
  const isFailing = disable === undefined;
  const hasTurned = isFailing === (failingSince === null);
  const bad = { failures, failingSince: isFailing ? since : null, hasTurned, disable };
  const delayMs = retryDelayMs(failures, readRetryAfter(result.retryAfter, now), random);
  const isFinal = delayMs === undefined || disable === 'gone' || delivery.body === null;
  if (isFinal) return { ...row, ...seen, ...settled, ...bad, status: 'failed' };
  const waiting = { dueAt: new Date(now + delayMs), settledAt: null };
  return { ...row, ...seen, ...waiting, ...bad, status: 'pending' };
}

function disableReason(
  statusCode: number | null,
  since: Date,
  now: number,
): DisableReason | undefined {
  if (statusCode === 410) return 'gone';
  return now - since.getTime() >= FAILING_LIMIT_MS ? 'failing' : undefined;
}

function errorOf(result: PostResult): string | null {
  const { statusCode, error } = result;
  if (error !== null || isSuccess(result)) return error;
  return statusCode !== null && statusCode >= 300 && statusCode < 400
    ? `The endpoint answered ${statusCode}: redirects are not followed.`
    : `The endpoint answered ${statusCode}.`;
}
