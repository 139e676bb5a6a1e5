import {
  type Comparison,
  type Detector,
  figuresOf,
  MIN_JUDGMENTS,
  percent,
  rounded,
  shareOf,
  sum,
  tallyOf,
} from './detector.ts';
import { type DayCount, MONTH_DAYS, WEEK_DAYS } from './observe.ts';
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

/** The usual difference between people. */
const USUAL_DIFFERENCE = 0.1;

/** Compares reviewers with the others of the same organizations, of which each may differ. */
export const reviewerDivergence: Detector = {
  alertType: 'reviewer-divergence',
  metric: 'approval-rate-of-reviewer',
  days: MONTH_DAYS,
  severities: [0.2, 0.35, 0.5],
  compare({ days }) {
    const month = days.filter(({ daysAgo }) => daysAgo < MONTH_DAYS);
    const reviewers = new Set(month.map(({ reviewerId }) => reviewerId));
    return [...reviewers].flatMap((id) => (id === null ? [] : divergenceOf(month, id)));
  },
};

function divergenceOf(month: DayCount[], reviewerId: string): Comparison[] {
  const shared = [...Map.groupBy(month, ({ organizationId }) => organizationId).values()]
    .map((days) => ({
      own: tallyOf(days.filter((day) => day.reviewerId === reviewerId)),
      others: tallyOf(days.filter((day) => day.reviewerId !== reviewerId)),
    }))
    .filter(({ own, others }) => own.decided > 0 && others.decided > 0);
  const approved = sum(shared.map(({ own }) => own.approved));
  const decided = sum(shared.map(({ own }) => own.decided));
  const others = sum(shared.map((one) => one.others.decided));
  if (decided < MIN_JUDGMENTS || others < 2 * MIN_JUDGMENTS) return [];
  // Of as many items in the same organizations, the others would have approved so many.
  const expected = sum(shared.map((one) => one.own.decided * shareOf(one.others)));
  // The number of items of a single organization that would give the same certainty.
  const known = decided ** 2 / sum(shared.map((one) => one.own.decided ** 2 / one.others.decided));
  const [rate, otherRate] = [approved / decided, expected / decided];
  const direction = rate < otherRate ? 'less' : 'more';
  return [
    {
      subject: JSON.stringify([reviewerId, direction]),
      about: { reviewerId },
      p: compareRates(
        { approved, decided },
        { approved: otherRate * known, decided: known },
        { usual: USUAL_DIFFERENCE },
      ),
      effect: Math.abs(rate - otherRate),
      title: `Reviewer ${reviewerId} approves ${direction} than the others`,
      description: `${approved} of ${decided} items in 30 days (${percent(rate)}), where the others approved ${percent(otherRate)}, in the same organizations.`,
      suggestedAction: 'Compare their judgments of similar items, and agree on what counts.',
      baseline: { decided: others, rate: rounded(otherRate) },
      current: figuresOf({ approved, decided }),
    },
  ];
}
