import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';

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
const WEEK_DAYS = 7;

/** Judgments by day, with the days on which there were none. */
export function useRates(subject: Subject) {
  const { apiKey, own } = useKey();
  return useQuery({
    queryKey: ['memory', apiKey, 'rates', subject],
    queryFn: async ({ signal }) => {
      const { days } = await own.memory.rates.query(subject, { signal });
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

/** Sums days to weeks, of which the last one ends today. */
export function byWeek(days: readonly Count[]): Count[] {
  const weeks: Count[] = [];
  for (let end = days.length; end > 0; end -= WEEK_DAYS) {
    weeks.unshift(summed(days.slice(Math.max(0, end - WEEK_DAYS), end)));
  }
  return weeks;
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
