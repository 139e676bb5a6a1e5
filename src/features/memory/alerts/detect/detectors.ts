import { shortened } from '../../text/shortened.ts';
import {
  ALERT_TYPES,
  type AlertConfig,
  type AlertEvidence,
  type AlertType,
  gravityOf,
  type Severity,
} from '../schema.ts';
import {
  DAY_MS,
  type DayCount,
  type ItemCount,
  MONTH_DAYS,
  type Observed,
  WEEK_DAYS,
} from './observe.ts';
import { binomialTail, compareRates, studentTails, type Tally } from './statistics.ts';

/**
 * A rate of fewer judgments says little. What they are compared with has twice as many, so that it
 * is known better.
 */
const MIN_JUDGMENTS = 20;

/** Compares counts of one subject with what is usual. */
interface Comparison {
  /** Identifies the finding among those of its type, so that it raises one alert only. */
  subject: string;
  /** The fields that the judgments share; empty for all judgments of the key. */
  about: { organizationId?: string; reviewerId?: string; fingerprint?: string };
  /** The probability of the counts if nothing had changed. */
  p: number;
  /** The size of the difference, in the unit of the detector's severities. */
  effect: number;
  title: string;
  description: string;
  suggestedAction: string;
  baseline: AlertEvidence['baseline'];
  current: AlertEvidence['current'];
}

/** Compares the last 7 days with the 30 before, in the whole key and in each organization. */
const drifts = ({ days }: Observed): Comparison[] => [
  ...driftOf(days, null),
  ...[...Map.groupBy(days, ({ organizationId }) => organizationId)].flatMap(([id, own]) =>
    id === null ? [] : driftOf(own, id),
  ),
];

function driftOf(days: DayCount[], organizationId: string | null): Comparison[] {
  const current = tallyOf(days.filter(({ daysAgo }) => daysAgo < WEEK_DAYS));
  const earlier = days.filter(({ daysAgo }) => daysAgo >= WEEK_DAYS);
  const baseline = tallyOf(earlier);
  if (current.decided < MIN_JUDGMENTS || baseline.decided < 2 * MIN_JUDGMENTS) return [];
  const [before, after] = [shareOf(baseline), shareOf(current)];
  const direction = after < before ? 'fell' : 'rose';
  const where = organizationId === null ? '' : ` in organization ${organizationId}`;
  return [
    {
      subject: JSON.stringify([organizationId, direction]),
      about: organizationId === null ? {} : { organizationId },
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
function divergences({ days }: Observed): Comparison[] {
  const month = days.filter(({ daysAgo }) => daysAgo < MONTH_DAYS);
  const reviewers = new Set(month.map(({ reviewerId }) => reviewerId));
  return [...reviewers].flatMap((id) => (id === null ? [] : divergenceOf(month, id)));
}

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
  // The number that the others would have approved of as many items in the same organizations.
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

/** The share of decisions about one item that are expected to be mistakes. */
const MISTAKES = 0.05;

/** Finds near-identical items that were decided in opposite ways in the last 30 days. */
const conflicts = ({ items }: Observed): Comparison[] =>
  items.map((item) => {
    const { approved, decided } = item.recent;
    const minority = Math.min(approved, decided - approved);
    return {
      ...subjectOf(item),
      p: binomialTail(minority, decided, MISTAKES),
      effect: minority / decided,
      title: 'Near-identical items are decided in opposite ways',
      description: `${quoted(item)} was approved ${approved} times and rejected ${decided - approved} times in the last 30 days.`,
      suggestedAction: 'Decide which of the two holds, and say why in the next judgment.',
      baseline: { mistakes: MISTAKES },
      current: decisionsOf(item.recent),
    };
  });

/** Finds items that were decided one way, but mostly the other way in the last 30 days. */
const abandoned = ({ items }: Observed): Comparison[] =>
  items
    .filter(({ older }) => older.decided > 0)
    .map((item) => {
      const wasFor = shareOf(item.older) > 0.5;
      const followed = ({ approved, decided }: Tally) => (wasFor ? approved : decided - approved);
      const [recent, older] = [followed(item.recent), followed(item.older)];
      const [of, olderOf] = [item.recent.decided, item.older.decided];
      const decision = wasFor ? 'approved' : 'rejected';
      return {
        ...subjectOf(item),
        p: compareRates(item.recent, item.older),
        effect: older / olderOf - recent / of,
        title: 'A precedent is not followed any more',
        description: `${quoted(item)} was ${decision} in ${percent(older / olderOf)} of ${olderOf} cases, and in ${recent} of ${of} in the last 30 days.`,
        suggestedAction:
          'If the policy changed, tell those who decide; if not, look at the latest ones.',
        baseline: { decision, times: older, of: olderOf },
        current: { ...decisionsOf(item.recent), times: recent, of },
      };
    });

const subjectOf = ({ fingerprint }: ItemCount) => ({
  subject: fingerprint,
  about: { fingerprint },
});

const decisionsOf = (tally: Tally) => ({
  approved: tally.approved,
  rejected: tally.decided - tally.approved,
  rate: rounded(shareOf(tally)),
});

const MAX_QUOTED = 120;
const quoted = ({ query }: ItemCount): string => `"${shortened(query, MAX_QUOTED)}"`;

/** Whole weeks, so that each period has as many weekends. */
const BASELINE_WEEKS = 4;
const BASELINE_DAYS = BASELINE_WEEKS * WEEK_DAYS;

/** Compares the number of judgments of the last 7 days with the four weeks before. */
function unusualVolume({ days }: Observed): Comparison[] {
  const counts = countsByDay(days);
  const current = sum(counts.slice(0, WEEK_DAYS));
  const earlier = counts.slice(WEEK_DAYS);
  const weekly = sum(earlier) / BASELINE_WEEKS;
  // A tenant that began less than four weeks ago has no usual volume yet.
  if (weekly < MIN_JUDGMENTS || sum(earlier.slice(-WEEK_DAYS)) === 0) return [];
  const isMore = current > weekly;
  const variance = weekly * dispersion(earlier) * (1 + 1 / BASELINE_WEEKS);
  return [
    {
      subject: isMore ? 'more' : 'less',
      about: {},
      // Each weekday has three degrees of freedom: four values less their mean.
      p: studentTails((current - weekly) / Math.sqrt(variance), BASELINE_DAYS - WEEK_DAYS),
      effect: isMore ? current / weekly : weekly / Math.max(current, 1),
      title: `${isMore ? 'More' : 'Fewer'} judgments than usual: ${current} in a week`,
      description: `${current} in the last 7 days; ${Math.round(weekly)} a week in the four weeks before.`,
      suggestedAction: isMore
        ? 'See where they come from: an import, an agent, or more work than reviewers can do with care?'
        : 'See whether items still reach their reviewers.',
      baseline: { judgments: rounded(weekly), weeks: BASELINE_WEEKS },
      current: { judgments: current },
    },
  ];
}

function countsByDay(days: DayCount[]): number[] {
  const counts = Array.from({ length: WEEK_DAYS + BASELINE_DAYS }, () => 0);
  for (const { daysAgo, judged } of days) {
    if (daysAgo < counts.length) counts[daysAgo] = (counts[daysAgo] ?? 0) + judged;
  }
  return counts;
}

/** How much more the same weekdays vary than by chance, and at least 1. */
function dispersion(earlier: number[]): number {
  const squares = Array.from({ length: WEEK_DAYS }, (_, weekday) => {
    const counts = earlier.filter((_count, index) => index % WEEK_DAYS === weekday);
    const mean = sum(counts) / counts.length;
    return sum(counts.map((count) => (count - mean) ** 2)) / Math.max(mean, 0.5);
  });
  return Math.max(1, sum(squares) / (BASELINE_DAYS - WEEK_DAYS));
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
const tallyOf = (days: DayCount[]): Tally => ({
  approved: sum(days.map(({ approved }) => approved)),
  decided: sum(days.map(({ decided }) => decided)),
});
const shareOf = ({ approved, decided }: Tally): number => approved / decided;
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const figuresOf = (tally: Tally) => ({ ...tally, rate: rounded(shareOf(tally)) });

type Detector = [
  compare: (observed: Observed) => Comparison[],
  metric: string,
  /** The recent period that it is about. */
  days: number,
  /** The least effects of findings of low, medium and high severity. */
  effects: [low: number, medium: number, high: number],
];

const DETECTORS: Record<AlertType, Detector> = {
  'approval-rate-drift': [drifts, 'approval-rate', WEEK_DAYS, [0.1, 0.2, 0.3]],
  'reviewer-divergence': [divergences, 'approval-rate-of-reviewer', MONTH_DAYS, [0.2, 0.35, 0.5]],
  'conflicting-decisions': [conflicts, 'opposite-decisions', MONTH_DAYS, [0, 0.25, 0.4]],
  // The factor of the change.
  'unusual-volume': [unusualVolume, 'judgments-a-week', WEEK_DAYS, [2, 3, 6]],
  'abandoned-precedent': [abandoned, 'precedent-followed', MONTH_DAYS, [0.6, 0.75, 0.9]],
};

/**
 * The significance level of one detector in one daily run, chosen so that about one month in twenty
 * has a false alarm of any kind (`npm run bench memory`); consecutive runs see mostly the same
 * judgments. It is divided by the number of subjects that are compared.
 */
const LEVEL = 0.001;

/** A change or difference that is too large for chance. */
export type Finding = ReturnType<typeof findingsOf>[number];

/** Runs all detectors and returns the findings that the tenant's settings let pass, gravest first. */
export const findAll = (
  observed: Observed,
  { enabledAlertTypes, severityThreshold }: AlertConfig,
): Finding[] =>
  ALERT_TYPES.filter((alertType) => enabledAlertTypes.includes(alertType))
    .flatMap((alertType) => findingsOf(alertType, observed))
    .filter(({ severity }) => gravityOf(severity) >= gravityOf(severityThreshold))
    .sort(
      (a, b) =>
        gravityOf(b.severity) - gravityOf(a.severity) || a.evidence.pValue - b.evidence.pValue,
    );

function findingsOf(alertType: AlertType, observed: Observed) {
  const [compare, metric, days, [least, medium, high]] = DETECTORS[alertType];
  const compared = compare(observed);
  const found = compared.filter(({ p, effect }) => p <= LEVEL / compared.length && effect >= least);
  // A finding about the whole key stands for those about its parts.
  const whole = found.filter(({ about }) => Object.keys(about).length === 0);
  return (whole.length > 0 ? whole : found).map(({ p, effect, baseline, current, ...finding }) => {
    const { fingerprint: _item, ...place } = finding.about;
    const severity: Severity = effect >= high ? 'high' : effect >= medium ? 'medium' : 'low';
    const window = { from: observed.now - days * DAY_MS, to: observed.now };
    const pValue = Number(p.toPrecision(2));
    const evidence = { metric, baseline, current, window, pValue, ...place };
    return { ...finding, alertType, severity, evidence };
  });
}
