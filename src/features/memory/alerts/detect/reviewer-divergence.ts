import {
  DAILY_LEVEL,
  type DayCount,
  type Finding,
  MONTH_DAYS,
  type Observed,
  percent,
  rounded,
  severityFor,
  shownP,
  windowOf,
} from './finding.ts';
import { normalTails, sum } from './statistics.ts';

const MIN_OWN = 20;
const MIN_OTHERS = 40;
/** The usual difference between people; only what exceeds it is tested. */
const USUAL = 0.1;
const MIN_DIFFERENCE = 0.2;

/** A reviewer compared with the others, in the organizations where both judged. */
interface Comparison {
  own: number;
  ownApproved: number;
  others: number;
  /** How many the others would have approved of as many items in the same organizations. */
  expected: number;
  difference: number;
  p: number;
}

/**
 * Finds reviewers whose approval rate differs from that of the others. Rates are compared within
 * each organization (the Mantel-Haenszel difference), so that nobody stands out by where they work.
 */
export function reviewerDivergence({ now, days }: Observed): Finding[] {
  const month = days.filter(({ daysAgo }) => daysAgo < MONTH_DAYS);
  const reviewers = new Set(month.map(({ reviewerId }) => reviewerId).filter((id) => id !== null));
  const compared = [...reviewers].flatMap((reviewerId) => {
    const comparison = compare(month, reviewerId);
    return comparison ? [{ reviewerId, comparison }] : [];
  });
  const level = DAILY_LEVEL / Math.max(1, compared.length);
  return compared
    .filter(({ comparison }) => comparison.p <= level)
    .filter(({ comparison }) => Math.abs(comparison.difference) >= MIN_DIFFERENCE)
    .map(({ reviewerId, comparison }) => divergence(now, reviewerId, comparison));
}

function compare(month: DayCount[], reviewerId: string): Comparison | undefined {
  const strata = [...Map.groupBy(month, ({ organizationId }) => organizationId).values()]
    .map((days) => {
      const own = tally(days.filter((day) => day.reviewerId === reviewerId));
      const others = tally(days.filter((day) => day.reviewerId !== reviewerId));
      return { own, others };
    })
    .filter(({ own, others }) => own.decided > 0 && others.decided > 0);
  const own = sum(strata.map((one) => one.own.decided));
  const others = sum(strata.map((one) => one.others.decided));
  if (own < MIN_OWN || others < MIN_OTHERS) return undefined;
  const weights = strata.map(
    (one) => (one.own.decided * one.others.decided) / (one.own.decided + one.others.decided),
  );
  const weight = sum(weights);
  const over = (of: (one: (typeof strata)[number]) => number) =>
    sum(strata.map((one, index) => (weights[index] ?? 0) * of(one))) / weight;
  const difference = over((one) => one.own.rate - one.others.rate);
  const variance = sum(
    strata.map(
      (one, index) => ((weights[index] ?? 0) / weight) ** 2 * (noise(one.own) + noise(one.others)),
    ),
  );
  const z = Math.max(0, Math.abs(difference) - USUAL) / Math.sqrt(variance);
  return {
    own,
    ownApproved: sum(strata.map((one) => one.own.approved)),
    others,
    expected: sum(strata.map((one) => one.own.decided * one.others.rate)),
    difference,
    p: normalTails(z),
  };
}

function tally(days: DayCount[]) {
  const approved = sum(days.map((day) => day.approved));
  const decided = approved + sum(days.map((day) => day.rejected));
  return { approved, decided, rate: decided === 0 ? 0 : approved / decided };
}

/** The variance of a rate by Agresti and Coull, which stays positive when all were approved. */
function noise({ approved, decided }: { approved: number; decided: number }): number {
  const rate = (approved + 2) / (decided + 4);
  return (rate * (1 - rate)) / (decided + 4);
}

function divergence(now: number, reviewerId: string, compared: Comparison): Finding {
  const { own, ownApproved, others, expected, difference, p } = compared;
  const [ownRate, otherRate] = [ownApproved / own, expected / own];
  return {
    alertType: 'reviewer-divergence',
    subject: JSON.stringify([reviewerId, difference < 0 ? 'less' : 'more']),
    severity: severityFor(Math.abs(difference), 0.35, 0.5),
    title: `Reviewer ${reviewerId} approves ${difference < 0 ? 'less' : 'more'} than the others`,
    description: `${ownApproved} of ${own} items in 30 days (${percent(ownRate)}), where the others approved ${percent(otherRate)}, in the same organizations.`,
    suggestedAction: 'Compare their judgments of similar items, and agree on what counts.',
    evidence: {
      metric: 'approval-rate-of-reviewer',
      baseline: { decided: others, rate: rounded(otherRate) },
      current: { approved: ownApproved, decided: own, rate: rounded(ownRate) },
      window: windowOf(now, MONTH_DAYS),
      reviewerId,
      pValue: shownP(p),
    },
    sources: { reviewerId },
  };
}
