import {
  type Comparison,
  type DayCount,
  type Detector,
  figuresOf,
  MIN_JUDGMENTS,
  percent,
  shareOf,
  sum,
  tallyOf,
  WEEK_DAYS,
} from './detector.ts';
import { compareRates, type Tally } from './statistics.ts';

/** Compares the last 7 days with the 30 before, in the whole key and in each organization. */
export const approvalRateDrift: Detector = {
  alertType: 'approval-rate-drift',
  metric: 'approval-rate',
  days: WEEK_DAYS,
  severities: [0.1, 0.2, 0.3],
  compare: ({ days }) => [
    ...driftOf(days, undefined),
    ...[...Map.groupBy(days, ({ organizationId }) => organizationId)].flatMap(([id, own]) =>
      id === null ? [] : driftOf(own, id),
    ),
  ],
};

function driftOf(days: DayCount[], organizationId: string | undefined): Comparison[] {
  const current = tallyOf(days.filter(({ daysAgo }) => daysAgo < WEEK_DAYS));
  const earlier = days.filter(({ daysAgo }) => daysAgo >= WEEK_DAYS);
  const baseline = tallyOf(earlier);
  if (current.decided < MIN_JUDGMENTS || baseline.decided < 2 * MIN_JUDGMENTS) return [];
  const [before, after] = [shareOf(baseline), shareOf(current)];
  const direction = after < before ? 'fell' : 'rose';
  const where = organizationId === undefined ? '' : ` in organization ${organizationId}`;
  return [
    {
      subject: JSON.stringify([organizationId ?? null, direction]),
      about: organizationId === undefined ? {} : { organizationId },
      p: compareRates(current, baseline, { dispersion: dispersionOf(earlier, before) }),
      effect: Math.abs(after - before),
      title: `The approval rate${where} ${direction} from ${percent(before)} to ${percent(after)}`,
      description: `${current.approved} of ${current.decided} items were approved in the last 7 days, ${baseline.approved} of ${baseline.decided} in the 30 days before.`,
      suggestedAction:
        'Look at the latest judgments: did the items change, the policy, or those who decide?',
      baseline: figuresOf(baseline),
      current: figuresOf(current),
    },
  ];
}

/**
 * How much more the days vary than by chance (Pearson's statistic over its degrees of freedom).
 * Judgments come in bunches, so that many of them prove less than independent ones would.
 */
function dispersionOf(days: DayCount[], rate: number): number {
  if (rate === 0 || rate === 1) return 1;
  const daily = [...Map.groupBy(days, ({ daysAgo }) => daysAgo).values()].map(tallyOf);
  const active = daily.filter(({ decided }) => decided > 0);
  const squareOf = ({ approved, decided }: Tally) =>
    (approved - decided * rate) ** 2 / (decided * rate * (1 - rate));
  return Math.max(1, sum(active.map(squareOf)) / Math.max(1, active.length - 1));
}
