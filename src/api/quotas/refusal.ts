import { AppError } from '../../platform/errors.ts';
import type { QuotaName } from './limits.ts';
import { secondsUntilTomorrow } from './usage-rows.ts';

const SENTENCES: Record<QuotaName, string> = {
  storage: 'This API key has used up its storage. Delete something, or ask the operator for more.',
  mails: 'This API key has used up its mails for today.',
  'model-tokens': 'This API key has used up its model tokens for today.',
};

interface Usage {
  limit: number;
  used: number;
  now: number;
}

/** Returns the failure for a quota that is used up, with the time of its next daily reset, if any. */
export function quotaUsedUp(quota: QuotaName, { limit, used, now }: Usage): AppError {
  const details = { quota, limit, used };
  if (quota === 'storage') return new AppError('RESOURCE_EXHAUSTED', SENTENCES[quota], { details });
  const retryAfterSeconds = secondsUntilTomorrow(now);
  // The next midnight in UTC: `retryAfterSeconds` is rounded up by the fraction of the current second.
  const resetsAt = new Date(now + retryAfterSeconds * 1000 - (now % 1000)).toISOString();
  return new AppError('RESOURCE_EXHAUSTED', SENTENCES[quota], {
    details: { ...details, resetsAt },
    retryAfterSeconds,
  });
}
