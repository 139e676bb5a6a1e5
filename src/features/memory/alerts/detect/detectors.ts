import { shorten } from '../../text/shortened.ts';
import {
  ALERT_TYPES,
  type AlertConfig,
  type AlertEvidence,
  type AlertType,
  type Severity,
  severityRank,
} from '../schema.ts';
import {
  DAY_MS,
  type DayCount,
  type ItemCount,
  type JudgmentCounts,
  MONTH_DAYS,
  WEEK_DAYS,
} from './count-judgments.ts';
import { binomialTail, compareRates, normalTails, type Tally } from './statistics.ts';

/**
 * The fewest judgments from which a rate is computed; fewer say little. The usual rate, with which it is
 * compared, needs twice as many, since it must be known better.
 */
const MIN_JUDGMENTS = 20;

/** A comparison of the counts of one subject with its usual counts. */
interface Comparison {
  /** Identifies the finding among those of its type, so that it raises one alert only. */
  subject: string;
  /** The fields that the judgments share; empty for all judgments of the key. */
  about: { organizationId?: string; reviewerId?: string; fingerprint?: string };
  /** The probability of such counts if nothing had changed. */
  p: number;
  /** The size of the difference, in the unit of the detector's `minEffects`. */
  effect: number;
  title: string;
  description: string;
  suggestedAction: string;
  baseline: AlertEvidence['baseline'];
  current: AlertEvidence['current'];
}

/** Compares the approval rate of the last 7 days with the 30 days before, in the key and in each organization. */
const drifts = ({ days }: JudgmentCounts): Comparison[] => [
  ...driftOf(days, null),
  ...[...Map.groupBy(days, ({ organizationId }) => organizationId)].flatMap(
    ([id, daysOfOrganization]) => (id === null ? [] : driftOf(daysOfOrganization, id)),
  ),
];

function driftOf(days: DayCount[], organizationId: string | null): Comparison[] {
  const current = tallyOf(days.filter(({ daysAgo }) => daysAgo < WEEK_DAYS));
  const earlier = days.filter(({ daysAgo }) => daysAgo >= WEEK_DAYS);
  const baseline = tallyOf(earlier);
  if (current.decided < MIN_JUDGMENTS || baseline.decided < 2 * MIN_JUDGMENTS) return [];
  const before = rateOf(baseline);
  const after = rateOf(current);
  const direction = after < before ? 'fell' : 'rose';
  const daily = [...Map.groupBy(earlier, ({ daysAgo }) => daysAgo).values()].map(tallyOf);
  const dispersion = dispersionOf(
    daily.map(({ approved, decided }) => ({
      value: approved,
      expected: decided * before,
      variance: decided * before * (1 - before),
    })),
    1,
  );
  const where = organizationId === null ? '' : ` in organization ${organizationId}`;
  return [
    {
      subject: JSON.stringify([organizationId, direction]),
      about: organizationId === null ? {} : { organizationId },
      p: compareRates(current, baseline, { dispersion }),
      effect: Math.abs(after - before),
      title: `The approval rate${where} ${direction} from ${percent(before)} to ${percent(after)}`,
      description: `${current.approved} of ${current.decided} items were approved in the last 7 days, ${baseline.approved} of ${baseline.decided} in the 30 days before.`,
      suggestedAction:
        'Look at the latest judgments: did the items, the policy or the reviewers change?',
      baseline: figuresOf(baseline),
      current: figuresOf(current),
    },
  ];
}

/** The approval rates of reviewers usually differ by up to this much, so only a larger difference counts. */
const USUAL_DIFFERENCE = 0.1;

/**
 * Compares each reviewer with the others. Only judgments of the same organization are compared,
 * since each organization may have a rate of its own.
 */
function divergences({ days }: JudgmentCounts): Comparison[] {
  const month = days.filter(({ daysAgo }) => daysAgo < MONTH_DAYS);
  const byReviewer = new Map<string, ReviewerShare[]>();
  for (const ofOrganization of Map.groupBy(month, (day) => day.organizationId).values()) {
    const all = tallyOf(ofOrganization);
    for (const [reviewerId, ofReviewer] of Map.groupBy(ofOrganization, (day) => day.reviewerId)) {
      const own = tallyOf(ofReviewer);
      const others = { approved: all.approved - own.approved, decided: all.decided - own.decided };
      if (reviewerId === null || own.decided === 0 || others.decided === 0) continue;
      byReviewer.set(reviewerId, [...(byReviewer.get(reviewerId) ?? []), { own, others }]);
    }
  }
  return [...byReviewer].flatMap(([reviewerId, shares]) => divergenceOf(reviewerId, shares));
}

/** The judgments of a reviewer, and those of the others, in one organization. */
interface ReviewerShare {
  own: Tally;
  others: Tally;
}

function divergenceOf(reviewerId: string, shares: ReviewerShare[]): Comparison[] {
  const approved = sum(shares.map(({ own }) => own.approved));
  const decided = sum(shares.map(({ own }) => own.decided));
  const decidedByOthers = sum(shares.map((share) => share.others.decided));
  if (decided < MIN_JUDGMENTS || decidedByOthers < 2 * MIN_JUDGMENTS) return [];
  // How many of these items the others would have approved, by their rates in the same organizations.
  const expected = sum(shares.map(({ own, others }) => own.decided * rateOf(others)));
  // The effective sample size of the others: this many items of one organization would give equal certainty.
  const effectiveSize =
    decided ** 2 / sum(shares.map(({ own, others }) => own.decided ** 2 / others.decided));
  const rate = approved / decided;
  const otherRate = expected / decided;
  const direction = rate < otherRate ? 'less' : 'more';
  return [
    {
      subject: JSON.stringify([reviewerId, direction]),
      about: { reviewerId },
      p: compareRates(
        { approved, decided },
        { approved: otherRate * effectiveSize, decided: effectiveSize },
        { usualDifference: USUAL_DIFFERENCE },
      ),
      effect: Math.abs(rate - otherRate),
      title: `Reviewer ${reviewerId} approves ${direction} often than other reviewers`,
      description: `${approved} of ${decided} items were approved in 30 days (${percent(rate)}). In the same organizations, other reviewers approved ${percent(otherRate)}.`,
      suggestedAction: 'Compare the judgments of similar items, and agree on common criteria.',
      baseline: { decided: decidedByOthers, rate: rounded(otherRate) },
      current: figuresOf({ approved, decided }),
    },
  ];
}

/** The share of decisions about one item that are expected to be mistakes. */
const MISTAKE_RATE = 0.05;

/** Finds near-identical items that were decided in opposite ways in the last 30 days. */
const conflicts = ({ items }: JudgmentCounts): Comparison[] =>
  items.map((item) => {
    const { approved, decided } = item.recent;
    const minority = Math.min(approved, decided - approved);
    return {
      ...subjectOf(item),
      p: binomialTail(minority, decided, MISTAKE_RATE),
      effect: minority / decided,
      title: 'Near-identical items were decided in opposite ways',
      description: `${quoted(item)} was approved ${approved} times and rejected ${decided - approved} times in the last 30 days.`,
      suggestedAction:
        'Agree on one of the two decisions, and give the reason in the next judgment.',
      baseline: { mistakes: MISTAKE_RATE },
      current: decisionsOf(item.recent),
    };
  });

/** Finds items that were decided one way, but mostly the other way in the last 30 days. */
const abandonedPrecedents = ({ items }: JudgmentCounts): Comparison[] =>
  items
    .filter(({ older }) => older.decided > 0)
    .map((item) => {
      const wasApproved = rateOf(item.older) > 0.5;
      const timesFollowed = ({ approved, decided }: Tally) =>
        wasApproved ? approved : decided - approved;
      const recent = { times: timesFollowed(item.recent), of: item.recent.decided };
      const older = { times: timesFollowed(item.older), of: item.older.decided };
      const olderShare = older.times / older.of;
      const decision = wasApproved ? 'approved' : 'rejected';
      return {
        ...subjectOf(item),
        p: compareRates(item.recent, item.older),
        effect: olderShare - recent.times / recent.of,
        title: 'A precedent is no longer followed',
        description: `${quoted(item)} was ${decision} in ${percent(olderShare)} of ${older.of} earlier cases, but only in ${recent.times} of ${recent.of} in the last 30 days.`,
        suggestedAction:
          'If the policy changed, inform the reviewers; if not, look at the latest judgments.',
        baseline: { decision, ...older },
        current: { ...decisionsOf(item.recent), ...recent },
      };
    });

const subjectOf = ({ fingerprint }: ItemCount) => ({
  subject: fingerprint,
  about: { fingerprint },
});

const decisionsOf = (tally: Tally) => ({
  approved: tally.approved,
  rejected: tally.decided - tally.approved,
  rate: rounded(rateOf(tally)),
});

const MAX_QUOTED = 120;
const quoted = ({ query }: ItemCount): string => `"${shorten(query, MAX_QUOTED)}"`;

/** The baseline has whole weeks, so that it has as many weekends per week as the last 7 days. */
const BASELINE_WEEKS = 4;
const BASELINE_DAYS = BASELINE_WEEKS * WEEK_DAYS;

/** Compares the number of judgments in the last 7 days with the four weeks before. */
function unusualVolume({ days }: JudgmentCounts): Comparison[] {
  const byDay = Map.groupBy(days, ({ daysAgo }) => daysAgo);
  const counts = Array.from({ length: WEEK_DAYS + BASELINE_DAYS }, (_, daysAgo) =>
    sum((byDay.get(daysAgo) ?? []).map(({ judged }) => judged)),
  );
  const current = sum(counts.slice(0, WEEK_DAYS));
  const earlier = counts.slice(WEEK_DAYS);
  const weekly = sum(earlier) / BASELINE_WEEKS;
  // A tenant that began less than four weeks ago has no usual volume yet.
  if (weekly < MIN_JUDGMENTS || sum(earlier.slice(-WEEK_DAYS)) === 0) return [];
  const isMore = current > weekly;
  const dispersion = dispersionOf(
    earlier.map((value, index) => {
      const sameWeekday = earlier.filter((_count, other) => (other - index) % WEEK_DAYS === 0);
      const expected = sum(sameWeekday) / BASELINE_WEEKS;
      return { value, expected, variance: expected };
    }),
    WEEK_DAYS,
  );
  const variance = weekly * dispersion * (1 + 1 / BASELINE_WEEKS);
  return [
    {
      subject: isMore ? 'more' : 'less',
      about: {},
      p: normalTails((current - weekly) / Math.sqrt(variance)),
      effect: isMore ? current / weekly : weekly / Math.max(current, 1),
      title: `${isMore ? 'More' : 'Fewer'} judgments than usual: ${current} in a week`,
      description: `There were ${current} judgments in the last 7 days, and ${Math.round(weekly)} a week in the four weeks before.`,
      suggestedAction: isMore
        ? 'Find out where they come from: an import, an agent, or more work than the reviewers can do with care?'
        : 'Check whether items still reach their reviewers.',
      baseline: { judgments: rounded(weekly), weeks: BASELINE_WEEKS },
      current: { judgments: current },
    },
  ];
}

/**
 * Returns the factor by which counts vary more than by chance, at least 1: Pearson's statistic over its degrees
 * of freedom. Judgments come in bunches, so many of them prove less than as many independent ones would.
 *
 * @param means the number of means of these counts that were taken as expected values
 */
function dispersionOf(
  counts: Array<{ value: number; expected: number; variance: number }>,
  means: number,
): number {
  const varying = counts.filter(({ variance }) => variance > 0);
  const squares = varying.map(
    ({ value, expected, variance }) => (value - expected) ** 2 / variance,
  );
  return Math.max(1, sum(squares) / Math.max(1, squares.length - means));
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
const tallyOf = (days: DayCount[]): Tally => ({
  approved: sum(days.map(({ approved }) => approved)),
  decided: sum(days.map(({ decided }) => decided)),
});
const rateOf = ({ approved, decided }: Tally): number => approved / decided;
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const figuresOf = (tally: Tally) => ({ ...tally, rate: rounded(rateOf(tally)) });

interface Detector {
  compare: (counts: JudgmentCounts) => Comparison[];
  metric: string;
  /** The length of the recent period that it examines. */
  days: number;
  /** The smallest effect of a finding of each severity. */
  minEffects: Record<Severity, number>;
}

const DETECTORS: Record<AlertType, Detector> = {
  'approval-rate-drift': {
    compare: drifts,
    metric: 'approval-rate',
    days: WEEK_DAYS,
    minEffects: { low: 0.1, medium: 0.2, high: 0.3 },
  },
  'reviewer-divergence': {
    compare: divergences,
    metric: 'approval-rate-of-reviewer',
    days: MONTH_DAYS,
    minEffects: { low: 0.2, medium: 0.35, high: 0.5 },
  },
  'conflicting-decisions': {
    compare: conflicts,
    metric: 'opposite-decisions',
    days: MONTH_DAYS,
    minEffects: { low: 0, medium: 0.25, high: 0.4 },
  },
  'unusual-volume': {
    compare: unusualVolume,
    metric: 'judgments-a-week',
    days: WEEK_DAYS,
    // These effects are factors.
    minEffects: { low: 2, medium: 3, high: 6 },
  },
  'abandoned-precedent': {
    compare: abandonedPrecedents,
    metric: 'precedent-followed',
    days: MONTH_DAYS,
    minEffects: { low: 0.6, medium: 0.75, high: 0.9 },
  },
};

/**
 * The significance level of one detector in one daily run, chosen so that about one month in twenty
 * has a false alarm of any kind (`npm run bench memory`); consecutive runs see mostly the same
 * judgments. It is divided by the number of subjects that are compared.
 */
const SIGNIFICANCE_LEVEL = 0.001;

/** A change or difference that is too large to be chance. */
export type Finding = ReturnType<typeof findingsOf>[number];

/** Runs the enabled detectors, and returns the findings at or above the threshold, the most severe first. */
export const runDetectors = (
  counts: JudgmentCounts,
  { enabledAlertTypes, severityThreshold }: AlertConfig,
): Finding[] =>
  ALERT_TYPES.filter((alertType) => enabledAlertTypes.includes(alertType))
    .flatMap((alertType) => findingsOf(alertType, counts))
    .filter(({ severity }) => severityRank(severity) >= severityRank(severityThreshold))
    .sort(
      (a, b) =>
        severityRank(b.severity) - severityRank(a.severity) ||
        a.evidence.pValue - b.evidence.pValue,
    );

function findingsOf(alertType: AlertType, counts: JudgmentCounts) {
  const { compare, metric, days, minEffects } = DETECTORS[alertType];
  const compared = compare(counts);
  const maxP = SIGNIFICANCE_LEVEL / compared.length;
  const found = compared.filter(({ p, effect }) => p <= maxP && effect >= minEffects.low);
  // A finding about the whole key replaces those about its organizations.
  const aboutKey = found.filter(({ about }) => Object.keys(about).length === 0);
  return (aboutKey.length > 0 ? aboutKey : found).map(
    ({ p, effect, baseline, current, ...finding }) => {
      const { fingerprint: _fingerprint, ...presented } = finding.about;
      const severity = severityOf(effect, minEffects);
      const window = { from: counts.now - days * DAY_MS, to: counts.now };
      const pValue = Number(p.toPrecision(2));
      const evidence = { metric, baseline, current, window, pValue, ...presented };
      return { ...finding, alertType, severity, evidence };
    },
  );
}

const severityOf = (effect: number, minEffects: Detector['minEffects']): Severity =>
  effect >= minEffects.high ? 'high' : effect >= minEffects.medium ? 'medium' : 'low';
