import { SimpleGrid, Stack, Title } from '@mantine/core';
import { useMemo } from 'react';
import { LineChart } from '../../parts/line-chart.tsx';
import type { ChartLine } from '../../parts/line-styles.ts';
import type { ServerOverview } from './overview-data.ts';
import { countText, msText, secondsText } from './units.ts';

type Span = ServerOverview['series'][number];

/** The series of the server, from what each process wrote every minute. */
export function Charts({ server: { series, queues } }: { server: ServerOverview }) {
  const charts = useMemo(() => {
    const lines = (of: Record<string, (span: Span) => number | null>): ChartLine[] =>
      Object.entries(of).map(([name, value]) => ({ name, values: series.map(value) }));
    const waiting = (queue: string) => (span: Span) => span.backlog[queue]?.waiting ?? 0;
    const age = (queue: string) => (span: Span) => span.backlog[queue]?.oldestSeconds ?? 0;
    const readers = queues.filter(({ queue }) => queue.startsWith('reader '));
    return {
      requests: lines({ Requests: ({ requests }) => requests, Errors: ({ errors }) => errors }),
      latency: lines({ p50: ({ p50Ms }) => p50Ms, p99: ({ p99Ms }) => p99Ms }),
      live: lines({
        Documents: ({ liveDocuments }) => liveDocuments,
        Connections: ({ liveConnections }) => liveConnections,
      }),
      attempts: lines({
        Delivered: ({ deliveries }) => deliveries,
        Failed: ({ failedDeliveries }) => failedDeliveries,
      }),
      deliveries: lines({
        Due: age('due deliveries'),
        Retrying: age('pending deliveries'),
      }),
      readers: lines(
        Object.fromEntries(readers.map(({ queue }) => [queue.slice('reader '.length), age(queue)])),
      ),
      loop: lines({ 'Event loop': ({ loopDelayMs }) => loopDelayMs }),
      jobs: lines({ Waiting: waiting('jobs'), Failed: waiting('failed jobs') }),
    };
  }, [series, queues]);
  const times = useMemo(() => series.map(({ at }) => at), [series]);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Over time
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <LineChart title="Requests" times={times} lines={charts.requests} format={countText} />
        <LineChart title="Latency" times={times} lines={charts.latency} format={msText} />
        <LineChart
          title="Live documents"
          about="Open at the same time"
          times={times}
          lines={charts.live}
          format={countText}
        />
        <LineChart
          title="Webhook deliveries"
          about="Attempts by result"
          times={times}
          lines={charts.attempts}
          format={countText}
        />
        <LineChart
          title="Delivery backlog"
          about="Age of the oldest"
          times={times}
          lines={charts.deliveries}
          format={secondsText}
        />
        <LineChart
          title="Event readers"
          about="Delay behind the event log"
          times={times}
          lines={charts.readers}
          format={secondsText}
        />
        <LineChart
          title="Background jobs"
          about="Waiting or retrying"
          times={times}
          lines={charts.jobs}
          format={countText}
        />
        <LineChart
          title="Event loop delay"
          about="Of the busiest process"
          times={times}
          lines={charts.loop}
          format={msText}
        />
      </SimpleGrid>
    </Stack>
  );
}
