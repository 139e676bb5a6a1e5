import {
  DAILY_LEVEL,
  type DayCount,
  type Finding,
  type Observed,
  percent,
  rounded,
  severityFor,
  shownP,
  WEEK_DAYS,
  windowOf,
} from './finding.ts';
import { fisherExact, sum } from './statistics.ts';

const MIN_CURRENT = 20;
const MIN_BASELINE = 40;
const MIN_CHANGE = 0.1;

interface Rate {
  approved: number;
  decided: number;
}

/**
 * Compares the approval rate of the last 7 days with the 30 days before, for the whole key and, if
 * that rate is steady, for each organization.
 */
export function approvalDrift(observed: Observed): Finding[] {
  const organizations = Map.groupBy(observed.days, ({ organizationId }) => organizationId);
  const level = DAILY_LEVEL / (1 + organizations.size);
  const ofKey = driftOf(observed, observed.days, level, undefined);
  if (ofKey) return [ofKey];
  return [...organizations].flatMap(([organizationId, days]) =>
    organizationId === null ? [] : (driftOf(observed, days, level, organizationId) ?? []),
  );
}

function driftOf(
  { now }: Observed,
  days: DayCount[],
  level: number,
  organizationId: string | undefined,
): Finding | undefined {
  const isCurrent = ({ daysAgo }: DayCount) => daysAgo < WEEK_DAYS;
  const current = rateOf(days.filter(isCurrent));
  const earlier = days.filter((day) => !isCurrent(day));
  const baseline = rateOf(earlier);
  if (current.decided < MIN_CURRENT || baseline.decided < MIN_BASELINE) return undefined;
  const change = current.approved / current.decided - baseline.approved / baseline.decided;
  if (Math.abs(change) < MIN_CHANGE) return undefined;
  const p = significance(current, baseline, dispersion(earlier, baseline));
  if (p > level) return undefined;
  return drift({ now, current, baseline, change, p, organizationId });
}

const rateOf = (days: DayCount[]): Rate => {
  const approved = sum(days.map((day) => day.approved));
  return { approved, decided: approved + sum(days.map((day) => day.rejected)) };
};

/**
 * How much more the days vary than by chance (Pearson's statistic over its degrees of freedom).
 * Judgments come in bunches, so that many of them prove less than independent ones would.
 */
function dispersion(days: DayCount[], { approved, decided }: Rate): number {
  const rate = approved / decided;
  if (rate === 0 || rate === 1) return 1;
  const daily = [...Map.groupBy(days, ({ daysAgo }) => daysAgo).values()].map(rateOf);
  const active = daily.filter((day) => day.decided > 0);
  const squares = active.map(
    (day) => (day.approved - day.decided * rate) ** 2 / (day.decided * rate * (1 - rate)),
  );
  return Math.max(1, sum(squares) / Math.max(1, active.length - 1));
}

function significance(current: Rate, baseline: Rate, factor: number): number {
  const less = (count: number) => Math.round(count / factor);
  return fisherExact(
    less(current.approved),
    less(current.approved) + less(current.decided - current.approved),
    less(baseline.approved),
    less(baseline.approved) + less(baseline.decided - baseline.approved),
  );
}

interface Drift {
  now: number;
  current: Rate;
  baseline: Rate;
  change: number;
  p: number;
  organizationId: string | undefined;
}

function drift({ now, current, baseline, change, p, organizationId }: Drift): Finding {
  const direction = change < 0 ? 'fell' : 'rose';
  const figures = (rate: Rate) => ({ ...rate, rate: rounded(rate.approved / rate.decided) });
  const [before, after] = [figures(baseline), figures(current)];
  const where = organizationId === undefined ? '' : ` in organization ${organizationId}`;
  return {
    alertType: 'approval-rate-drift',
    subject: JSON.stringify([organizationId ?? null, direction]),
    severity: severityFor(Math.abs(change), 0.2, 0.3),
    title: `The approval rate${where} ${direction} from ${percent(before.rate)} to ${percent(after.rate)}`,
    description: `${current.approved} of ${current.decided} items were approved in the last 7 days, ${baseline.approved} of ${baseline.decided} in the 30 days before.`,
    suggestedAction:
      'Look at the latest judgments: did the items change, the policy, or those who decide?',
    evidence: {
      metric: 'approval-rate',
      baseline: before,
      current: after,
      window: windowOf(now, WEEK_DAYS),
      pValue: shownP(p),
      ...(organizationId !== undefined && { organizationId }),
    },
    sources: organizationId === undefined ? {} : { organizationId },
  };
}
