import type { Limits, QuotaName } from './limits.ts';
import { secondsUntilTomorrow } from './usage-rows.ts';

/** The unit (`qu`) and window (`w`) of each quota in `RateLimit-Policy`. */
const POLICIES: Record<QuotaName, { unit: string; seconds?: number }> = {
  storage: { unit: 'content-bytes' },
  mails: { unit: 'mails', seconds: 86_400 },
  'model-tokens': { unit: 'model-tokens', seconds: 86_400 },
};

const NAMES = Object.keys(POLICIES) as QuotaName[];

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy` lists the quotas
 * (`q`), and `RateLimit` their remaining amounts (`r`) and the seconds until they are reset (`t`).
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
