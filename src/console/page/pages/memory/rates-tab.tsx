import { Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { CountsTable } from './counts-table.tsx';
import { RateChart } from './rate-chart.tsx';
import { byWeek, type Count, percent, rateOf, summed, useRates } from './rates.ts';

const SPANS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
];
/** Longer spans are shown by the week, so that chance does not hide what goes on. */
const BY_DAY_UP_TO = 60;

/** How much is approved, over time. */
export function RatesTab() {
  const [{ organizationId = '', reviewer = '', days = '90' }, change] = usePageSearch();
  const span = SPANS.some(({ value }) => value === days) ? Number(days) : 90;
  const rates = useRates({
    ...(organizationId && { organizationId }),
    ...(reviewer && { reviewerId: reviewer }),
    days: span,
  });
  return (
    <Stack gap="md">
      <div className="memory-filters">
        <EntryPicker
          kind="organization"
          label="Organization"
          value={organizationId}
          onChange={(id) => change({ organizationId: id })}
        />
        <EntryPicker
          kind="user"
          label="Reviewer"
          organizationId={organizationId}
          value={reviewer}
          onChange={(id) => change({ reviewer: id })}
        />
        <Select
          label="Time"
          data={SPANS}
          value={String(span)}
          allowDeselect={false}
          onChange={(value) => change({ days: value ?? '' })}
        />
      </div>
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
  const [earlier, later] = [summed(days.slice(0, half)), summed(days.slice(half))];
  if (all.approved + all.rejected === 0) {
    return (
      <Empty title="No decisions in this period">
        Approvals, rejections and resolved suggestions are recorded automatically.
      </Empty>
    );
  }
  return (
    <Stack gap="sm">
      <Group gap="xl">
        <Figure label="Decided" value={(all.approved + all.rejected).toLocaleString('en')} />
        <Figure label="Approved" value={percent(rateOf(all))} />
        <Figure label="First half" value={percent(rateOf(earlier))} />
        <Figure label="Second half" value={percent(rateOf(later))} />
      </Group>
      <Paper withBorder p="sm">
        <RateChart counts={counts} label={`Approvals by ${isByDay ? 'day' : 'week'}`} />
      </Paper>
      <CountsTable counts={counts} what={isByDay ? 'Day' : 'Week from'} />
    </Stack>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={650} size="xl">
        {value}
      </Text>
    </div>
  );
}
