import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import type { OutputOf } from '../../api/client.ts';
import type { PageSearch } from '../../app/search.ts';
import { COUNTS, MILLISECONDS, SECONDS, type Unit } from '../../parts/chart-data.ts';
import { LineChart } from '../../parts/line-chart.tsx';
import { Section } from '../../parts/panel.tsx';

export type ServerOverview = NonNullable<OutputOf<'console.overview.read'>['server']>;
/** The numbers of one interval of the period shown. */
type Interval = ServerOverview['series'][number];

interface Chart {
  title: string;
  description?: string;
  unit: Unit;
  lines: Record<string, (interval: Interval) => number | null>;
  /** The filters of the requests that a click on the chart shows; undefined for charts that are not about requests. */
  requestFilters?: PageSearch;
}

const oldestSecondsOf = (queue: string) => (interval: Interval) =>
  interval.backlog[queue]?.oldestSeconds ?? 0;
const READER_PREFIX = 'reader-';

const chartsOf = (queues: ServerOverview['queues']): Chart[] => [
  {
    title: 'Requests',
    unit: COUNTS,
    requestFilters: {},
    lines: { Requests: ({ requests }) => requests, Errors: ({ errors }) => errors },
  },
  {
    title: 'Latency',
    description: 'Of requests, and the delay of the busiest event loop',
    unit: MILLISECONDS,
    requestFilters: { slowerThan: '100' },
    lines: {
      p50: ({ p50Ms }) => p50Ms,
      p99: ({ p99Ms }) => p99Ms,
      'Event loop': ({ loopDelayMs }) => loopDelayMs,
    },
  },
  {
    title: 'Live documents',
    description: 'Open at the same time',
    unit: COUNTS,
    lines: {
      Documents: ({ liveDocuments }) => liveDocuments,
      Connections: ({ liveConnections }) => liveConnections,
    },
  },
  {
    title: 'Webhook deliveries',
    description: 'Attempts by result',
    unit: COUNTS,
    lines: {
      Delivered: ({ deliveries }) => deliveries,
      Failed: ({ failedDeliveries }) => failedDeliveries,
    },
  },
  {
    title: 'Delivery backlog',
    description: 'Age of the oldest delivery',
    unit: SECONDS,
    lines: {
      Due: oldestSecondsOf('due-deliveries'),
      Retrying: oldestSecondsOf('pending-deliveries'),
    },
  },
  {
    title: 'Event readers',
    description: 'How far they are behind the event log',
    unit: SECONDS,
    lines: Object.fromEntries(
      queues
        .filter(({ queue }) => queue.startsWith(READER_PREFIX))
        .map(({ queue }) => [queue.slice(READER_PREFIX.length), oldestSecondsOf(queue)]),
    ),
  },
];

/** Charts of the server over time, from the rows that each process writes every minute. */
export function Charts({ server: { series, queues } }: { server: ServerOverview }) {
  const charts = useMemo(() => {
    const times = series.map(({ at }) => at);
    return chartsOf(queues).map(({ unit, lines, ...chart }) => ({
      ...chart,
      data: {
        times,
        unit,
        lines: Object.entries(lines).map(([name, read]) => ({ name, values: series.map(read) })),
      },
    }));
  }, [series, queues]);
  // A time on the axis is the beginning of an interval, which ends one step later.
  const [first = 0, second = first] = series.map(({ at }) => at);
  const searchAt = (filters: PageSearch, time: number): PageSearch => ({
    ...filters,
    until: String(time + second - first),
    live: 'off',
  });
  return (
    <Section title="Over time">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        {charts.map(({ requestFilters, ...chart }) => (
          <LineChart
            key={chart.title}
            {...chart}
            requestsAt={requestFilters && ((time) => searchAt(requestFilters, time))}
          />
        ))}
      </SimpleGrid>
    </Section>
  );
}
