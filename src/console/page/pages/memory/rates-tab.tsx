import { Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { usePageSearch } from '../../app/search.ts';
import { Filters } from '../../parts/filters.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Empty, Note } from '../../parts/text.tsx';
import { type Count, percent, RateChart, rateOf, summed, useRates } from './rates.tsx';

const SPANS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];
/** Longer spans are shown by the week, so that chance does not hide what goes on. */
const BY_DAY_UP_TO = 60;
const WEEK_DAYS = 7;

/** How much is approved, over time. */
export function RatesTab() {
  const [{ organizationId, reviewer, days }] = usePageSearch();
  const span = SPANS.some(({ value }) => value === days) ? Number(days) : 90;
  const rates = useRates({
    ...(organizationId && { organizationId }),
    ...(reviewer && { reviewerId: reviewer }),
    days: span,
  });
  return (
    <Stack gap="md">
      <Filters
        filters={[
          { name: 'organizationId', label: 'Organization', kind: 'organization' },
          { name: 'reviewer', label: 'Reviewer', kind: 'user' },
          { name: 'days', label: 'Time', options: SPANS, placeholder: '90 days' },
        ]}
      />
      <Loaded query={rates} lines={8}>
        {(found) => <Rates days={found} isByDay={span <= BY_DAY_UP_TO} />}
      </Loaded>
    </Stack>
  );
}

function Rates({ days, isByDay }: { days: Count[]; isByDay: boolean }) {
  const counts = useMemo(() => (isByDay ? days : byWeek(days)), [days, isByDay]);
  const all = summed(days);
  const half = Math.floor(days.length / 2);
  if (all.approved + all.rejected === 0) {
    return (
      <Empty title="No decisions in this period">
        Approvals, rejections and resolved suggestions are recorded automatically.
      </Empty>
    );
  }
  const figures = {
    Decided: (all.approved + all.rejected).toLocaleString('en'),
    Approved: percent(rateOf(all)),
    'First half': percent(rateOf(summed(days.slice(0, half)))),
    'Second half': percent(rateOf(summed(days.slice(half)))),
  };
  return (
    <Stack gap="sm">
      <Group gap="xl">
        {Object.entries(figures).map(([label, value]) => (
          <div key={label}>
            <Note size="xs">{label}</Note>
            <Text fw={650} size="xl">
              {value}
            </Text>
          </div>
        ))}
      </Group>
      <RateChart counts={counts} title={`Decisions by ${isByDay ? 'day' : 'week'}`} />
    </Stack>
  );
}

/** Sums days to weeks, of which the last one ends today. */
function byWeek(days: readonly Count[]): Count[] {
  const weeks: Count[] = [];
  for (let end = days.length; end > 0; end -= WEEK_DAYS) {
    weeks.unshift(summed(days.slice(Math.max(0, end - WEEK_DAYS), end)));
  }
  return weeks;
}
