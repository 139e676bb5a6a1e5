import { useMemo } from 'react';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { COUNTS } from '../../parts/chart-data.ts';
import { LineChart } from '../../parts/line-chart.tsx';

/** Judgments of one day. */
type Count = OutputOf<'console.memory.rates'>['days'][number];
/** The judgments to count, and the number of days, today included. */
type CountedJudgments = InputOf<'console.memory.rates'> & { days: number };

export const DAY_MS = 86_400_000;

/** The number of judgments on each day, including days without any. */
export const useRates = (counted: CountedJudgments) =>
  useRead('console.memory.rates', counted, {
    select: ({ days }) => {
      const countByDay = new Map(days.map((each) => [each.day, each]));
      const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      return Array.from({ length: counted.days }, (_, n): Count => {
        const day = today - (counted.days - 1 - n) * DAY_MS;
        return countByDay.get(day) ?? { day, approved: 0, rejected: 0 };
      });
    },
  });

/** The number of decisions and the share of approvals, in words. */
function rateText(counts: readonly Count[]): string {
  const approved = counts.reduce((sum, each) => sum + each.approved, 0);
  const all = counts.reduce((sum, each) => sum + each.rejected, approved);
  const decisionCount = `${all.toLocaleString('en')} ${all === 1 ? 'decision' : 'decisions'}`;
  return all === 0
    ? 'No decisions'
    : `${decisionCount}, ${Math.round((100 * approved) / all)} % approved`;
}

interface RateChartProps {
  counts: Count[];
  title: string;
  /** A span of time that is shaded, in epoch milliseconds. */
  marked?: { from: number; to: number };
}

export function RateChart({ counts, title, marked }: RateChartProps) {
  const data = useMemo(
    () => ({
      times: counts.map(({ day }) => day),
      lines: [
        { name: 'Approved', values: counts.map(({ approved }) => approved) },
        { name: 'Rejected', values: counts.map(({ rejected }) => rejected) },
      ],
      unit: COUNTS,
      byDay: true,
      marked,
    }),
    [counts, marked],
  );
  return <LineChart title={title} description={rateText(counts)} data={data} />;
}
