import {
  Box,
  Button,
  Group,
  Paper,
  ScrollArea,
  Text,
  Title,
  useComputedColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { PageSearch } from '../app/search.ts';
import { Note } from './basics.tsx';
import { type ChartData, LINE_STYLES, timeText, type Unit } from './chart-data.ts';
import { PageLink } from './links.tsx';
import { ShortTable } from './rows.tsx';

interface LineChartProps {
  title: string;
  /** The meaning of the values, in a few words. */
  description?: string | undefined;
  /** Returns the parameters of the requests page for a time. Clicks on the chart and links in its table lead there. */
  requestsAt?: ((time: number) => PageSearch) | undefined;
  /** The chart is drawn again whenever this is another object. */
  data: ChartData;
}

/** Draws lines over time. The values can also be read as text and as a table. */
export function LineChart({ title, description, requestsAt, data }: LineChartProps) {
  const navigate = useNavigate();
  const [showsTable, { toggle }] = useDisclosure();
  const [pointedIndex, setPointedIndex] = useState<number | null>(null);
  const { times, lines, unit, byDay } = data;
  const shownIndex = pointedIndex ?? times.length - 1;
  const time = times[shownIndex];
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <div>
          <Title order={3} size="sm">
            {title}
          </Title>
          {description && <Note size="xs">{description}</Note>}
        </div>
        <Button size="compact-xs" variant="subtle" color="gray" flex="none" onClick={toggle}>
          {showsTable ? 'Show chart' : 'Show table'}
        </Button>
      </Group>
      <Group gap="sm" my={6} aria-hidden>
        {lines.map((line, index) => (
          <Group gap={6} key={line.name} wrap="nowrap">
            <LineSample index={index} />
            <Text size="xs">
              {line.name} <b>{formatted(line.values[shownIndex], unit)}</b>
            </Text>
          </Group>
        ))}
        <Text size="xs" c="dimmed" ml="auto">
          {time === undefined ? '' : timeText(byDay, time)}
        </Text>
      </Group>
      <VisuallyHidden>{lines.map((line) => summaryOf(line, data)).join(' ')}</VisuallyHidden>
      {showsTable ? (
        <ValueTable title={title} requestsAt={requestsAt} data={data} />
      ) : (
        // The table has the same links, for people without a pointer.
        <Box
          onClick={() => {
            if (pointedIndex === null || time === undefined || !requestsAt) return;
            void navigate({ to: '/requests', search: requestsAt(time) });
          }}
          style={requestsAt && { cursor: 'pointer' }}
        >
          <Plot data={data} onPoint={setPointedIndex} />
        </Box>
      )}
    </Paper>
  );
}

function Plot({ data, onPoint }: { data: ChartData; onPoint(index: number | null): void }) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the colours
  useEffect(() => {
    let removeChart = () => {};
    let isOutdated = false;
    void import('./draw-chart.ts').then(({ drawChart }) => {
      if (!container.current || isOutdated) return;
      removeChart = drawChart(container.current, data, onPoint);
    });
    return () => {
      isOutdated = true;
      removeChart();
    };
  }, [data, onPoint, scheme]);
  return <Box ref={container} mih={160} aria-hidden />;
}

type ValueTableProps = Pick<LineChartProps, 'title' | 'requestsAt' | 'data'>;

const ValueTable = ({
  title,
  requestsAt,
  data: { times, lines, unit, byDay },
}: ValueTableProps) => (
  <ScrollArea h={160}>
    <ShortTable
      label={`Values of ${title}`}
      minWidth={240}
      rows={times.map((time, index) => ({ time, index }))}
      keyOf={({ time }) => String(time)}
      columns={[
        {
          head: 'Time',
          cell: ({ time }) =>
            requestsAt ? (
              <PageLink page="requests" search={requestsAt(time)} text={timeText(byDay, time)} />
            ) : (
              timeText(byDay, time)
            ),
        },
        ...lines.map(({ name, values }) => ({
          head: name,
          cell: ({ index }: { index: number }) => formatted(values[index], unit),
        })),
      ]}
    />
  </ScrollArea>
);

/** A sample of a line's colour and dashes. */
function LineSample({ index }: { index: number }) {
  const { color, dash } = LINE_STYLES[index % LINE_STYLES.length] ?? LINE_STYLES[0];
  return (
    <svg width={22} height={8} aria-hidden="true">
      <line
        x1={0}
        x2={22}
        y1={4}
        y2={4}
        stroke={`var(--mantine-color-${color}-filled)`}
        strokeWidth={2}
        strokeDasharray={dash.join(' ')}
      />
    </svg>
  );
}

const formatted = (value: number | null | undefined, { format }: Unit): string =>
  value == null ? '–' : format(value);

function summaryOf(
  { name, values }: ChartData['lines'][number],
  { times, unit, byDay }: ChartData,
): string {
  const knownValues = values.filter((value) => value !== null);
  if (knownValues.length === 0) return `${name}: no values.`;
  const highest = Math.max(...knownValues);
  const when = timeText(byDay, times[values.indexOf(highest)] ?? 0);
  return `${name}: now ${formatted(values.at(-1), unit)}, at most ${unit.format(highest)} at ${when}.`;
}
