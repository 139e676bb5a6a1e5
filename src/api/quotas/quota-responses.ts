import { AppError } from '../../platform/errors.ts';
import { type Limits, QUOTA_NAMES, type QuotaName } from './limits.ts';
import { secondsUntilTomorrow, startOfTomorrow, type Usage } from './usage-rows.ts';

/** The unit (`qu`) and window (`w`) of each quota in `RateLimit-Policy`. */
const POLICIES: Record<QuotaName, { unit: string; seconds?: number }> = {
  storage: { unit: 'content-bytes' },
  mails: { unit: 'mails', seconds: 86_400 },
  'model-tokens': { unit: 'model-tokens', seconds: 86_400 },
};

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy` lists the quotas
 * (`q`), and `RateLimit` their remaining amounts (`r`) and the seconds until they are reset (`t`).
 */
export function quotaHeaders(limits: Limits, used: Usage, now: number): Record<string, string> {
  const policies: string[] = [];
  const states: string[] = [];
  for (const name of QUOTA_NAMES) {
    const limit = limits[name];
    if (limit === undefined) continue;
    const { unit, seconds } = POLICIES[name];
    const remaining = Math.max(0, Math.floor(limit - used[name]));
    policies.push(`"${name}";q=${limit};qu="${unit}"${seconds ? `;w=${seconds}` : ''}`);
    states.push(`"${name}";r=${remaining}${seconds ? `;t=${secondsUntilTomorrow(now)}` : ''}`);
  }
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

const QUOTA_MESSAGES: Record<QuotaName, string> = {
  storage:
    'This API key has reached its storage quota. Delete something, or ask the operator for more.',
  mails: 'This API key has reached its daily quota of emails.',
  'model-tokens': 'This API key has reached its daily quota of model tokens.',
};

/** Returns the failure for a quota that is used up, with the time of its next daily reset, if any. */
export function quotaExceededError(
  quota: QuotaName,
  { limit, used, now }: { limit: number; used: number; now: number },
): AppError {
  const details = { quota, limit, used };
  if (quota === 'storage')
    return new AppError('RESOURCE_EXHAUSTED', QUOTA_MESSAGES[quota], { details });
  return new AppError('RESOURCE_EXHAUSTED', QUOTA_MESSAGES[quota], {
    details: { ...details, resetsAt: new Date(startOfTomorrow(now)).toISOString() },
    retryAfterSeconds: secondsUntilTomorrow(now),
  });
}
