import { useMemo } from 'react';
import { useRead } from '../../api/read.ts';
import { COUNTS } from '../../parts/chart-data.ts';
import { LineChart } from '../../parts/line-chart.tsx';

/** Judgments of one day or week. */
export interface Count {
  /** Epoch milliseconds: when it begins, in UTC. */
  day: number;
  approved: number;
  rejected: number;
}

interface Subject {
  organizationId?: string;
  reviewerId?: string;
  /** How many days, today included. */
  days: number;
}

const DAY_MS = 86_400_000;

/** Judgments by day, with the days on which there were none. */
export function useRates(subject: Subject) {
  return useRead('console.memory.rates', subject, {
    select: ({ days }) => {
      const found = new Map(days.map((each) => [each.day, each]));
      const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      return Array.from({ length: subject.days }, (_, n): Count => {
        const day = today - (subject.days - 1 - n) * DAY_MS;
        const { approved = 0, rejected = 0 } = found.get(day) ?? {};
        return { day, approved, rejected };
      });
    },
  });
}

export const summed = (counts: readonly Count[]): Count => ({
  day: counts[0]?.day ?? 0,
  approved: counts.reduce((sum, { approved }) => sum + approved, 0),
  rejected: counts.reduce((sum, { rejected }) => sum + rejected, 0),
});

/** The share of approvals among what was decided, 0 to 1; null when nothing was. */
export const rateOf = ({ approved, rejected }: Count): number | null =>
  approved + rejected === 0 ? null : approved / (approved + rejected);

export const percent = (share: number | null): string =>
  share === null ? 'none' : `${Math.round(share * 100)} %`;

interface RateChartProps {
  counts: Count[];
  title: string;
  /** A span of time that is shaded, in epoch milliseconds. */
  marked?: { from: number; to: number };
}

/** How many items were approved and rejected. */
export function RateChart({ counts, title, marked }: RateChartProps) {
  const data = useMemo(
    () => ({
      times: counts.map(({ day }) => day),
      lines: [
        { name: 'Approved', values: counts.map(({ approved }) => approved) },
        { name: 'Rejected', values: counts.map(({ rejected }) => rejected) },
      ],
    }),
    [counts],
  );
  const about = `${percent(rateOf(summed(counts)))} approved`;
  return <LineChart title={title} about={about} {...data} unit={COUNTS} byDay marked={marked} />;
}
