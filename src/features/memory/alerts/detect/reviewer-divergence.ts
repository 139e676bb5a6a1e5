import {
  type Comparison,
  type DayCount,
  type Detector,
  figuresOf,
  MIN_JUDGMENTS,
  MONTH_DAYS,
  percent,
  rounded,
  shareOf,
  sum,
  tallyOf,
} from './detector.ts';
import { compareRates } from './statistics.ts';

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
    const reviewers = new Set(
      month.map(({ reviewerId }) => reviewerId).filter((id) => id !== null),
    );
    return [...reviewers].flatMap((reviewerId) => divergenceOf(month, reviewerId));
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
