import {
  DAILY_LEVEL,
  type DayCount,
  type Finding,
  type Observed,
  rounded,
  severityFor,
  shownP,
  WEEK_DAYS,
  windowOf,
} from './finding.ts';
import { studentTails, sum } from './statistics.ts';

/** Whole weeks, so that each period has as many weekends. */
const BASELINE_WEEKS = 4;
const BASELINE_DAYS = BASELINE_WEEKS * WEEK_DAYS;
const MIN_A_WEEK = 20;
/** The volume must have doubled, or halved. */
const MIN_FACTOR = 2;

/** Compares the number of judgments of the last 7 days with the four weeks before. */
export function unusualVolume({ now, days }: Observed): Finding[] {
  const counts = countsByDay(days);
  const current = sum(counts.slice(0, WEEK_DAYS));
  const earlier = counts.slice(WEEK_DAYS, WEEK_DAYS + BASELINE_DAYS);
  const weekly = sum(earlier) / BASELINE_WEEKS;
  // A tenant that began less than four weeks ago has no usual volume yet.
  const isNew = sum(earlier.slice(-WEEK_DAYS)) === 0;
  const factor = current / weekly;
  if (isNew || weekly < MIN_A_WEEK) return [];
  if (factor > 1 / MIN_FACTOR && factor < MIN_FACTOR) return [];
  const variance = weekly * dispersion(earlier) * (1 + 1 / BASELINE_WEEKS);
  // Each weekday has three degrees of freedom: four values less their mean.
  const p = studentTails((current - weekly) / Math.sqrt(variance), BASELINE_DAYS - WEEK_DAYS);
  return p > DAILY_LEVEL ? [] : [volume(now, current, weekly, p)];
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
  const perWeekday = Array.from({ length: WEEK_DAYS }, (_, weekday) =>
    earlier.filter((_count, index) => index % WEEK_DAYS === weekday),
  );
  const squares = perWeekday.map((counts) => {
    const mean = sum(counts) / counts.length;
    return sum(counts.map((count) => (count - mean) ** 2)) / Math.max(mean, 0.5);
  });
  return Math.max(1, sum(squares) / (BASELINE_DAYS - WEEK_DAYS));
}

function volume(now: number, current: number, weekly: number, p: number): Finding {
  const isMore = current > weekly;
  const factor = isMore ? current / weekly : weekly / Math.max(current, 1);
  return {
    alertType: 'unusual-volume',
    subject: isMore ? 'more' : 'less',
    severity: severityFor(factor, 3, 6),
    title: `${isMore ? 'More' : 'Fewer'} judgments than usual: ${current} in a week`,
    description: `${current} in the last 7 days; ${Math.round(weekly)} a week in the four weeks before.`,
    suggestedAction: isMore
      ? 'See where they come from: an import, an agent, or more work than reviewers can do with care?'
      : 'See whether items still reach their reviewers.',
    evidence: {
      metric: 'judgments-a-week',
      baseline: { judgments: rounded(weekly), weeks: BASELINE_WEEKS },
      current: { judgments: current },
      window: windowOf(now, WEEK_DAYS),
      pValue: shownP(p),
    },
    sources: {},
  };
}
