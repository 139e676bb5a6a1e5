import type { Limits, QuotaName } from './limits.ts';
import { secondsUntilTomorrow } from './usage-rows.ts';

/** What a quota counts (`qu`), and for how long (`w`), as `RateLimit-Policy` says it. */
const POLICIES: Record<QuotaName, { unit: string; seconds?: number }> = {
  storage: { unit: 'content-bytes' },
  mails: { unit: 'mails', seconds: 86_400 },
  'model-tokens': { unit: 'model-tokens', seconds: 86_400 },
};

const NAMES = Object.keys(POLICIES) as QuotaName[];

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy` says which quotas there are
 * (`q`), and `RateLimit` what remains of them (`r`) and in how many seconds they begin anew (`t`).
 */
export function quotaHeaders(
  limits: Limits,
  used: Record<QuotaName, number>,
  now: number,
): Record<string, string> {
  const policies: string[] = [];
  const states: string[] = [];
  for (const name of NAMES) {
    const limit = limits[name];
    if (limit === undefined) continue;
    const { unit, seconds } = POLICIES[name];
    const remaining = Math.max(0, Math.floor(limit - used[name]));
    policies.push(`"${name}";q=${limit};qu="${unit}"${seconds ? `;w=${seconds}` : ''}`);
    states.push(`"${name}";r=${remaining}${seconds ? `;t=${secondsUntilTomorrow(now)}` : ''}`);
  }
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}
