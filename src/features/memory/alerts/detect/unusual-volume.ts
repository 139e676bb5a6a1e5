import { type Detector, MIN_JUDGMENTS, rounded, sum } from './detector.ts';
import { type DayCount, WEEK_DAYS } from './observe.ts';
import { studentTails } from './statistics.ts';

/** Whole weeks, so that each period has as many weekends. */
const BASELINE_WEEKS = 4;
const BASELINE_DAYS = BASELINE_WEEKS * WEEK_DAYS;

/** Compares the number of judgments of the last 7 days with the four weeks before. */
export const unusualVolume: Detector = {
  alertType: 'unusual-volume',
  metric: 'judgments-a-week',
  days: WEEK_DAYS,
  // The factor of the change.
  severities: [2, 3, 6],
  compare({ days }) {
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
  },
};

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
