import { Card, SimpleGrid, Text } from '@mantine/core';
import { countText, msText } from '../../parts/chart-data.ts';
import { Note } from '../../parts/text.tsx';
import type { ServerOverview } from './overview-data.ts';

interface NumbersProps {
  server: ServerOverview;
  span: 'hour' | 'day';
}

/** The whole time in a few numbers. */
export function Numbers({ server: { total, processes, chains }, span }: NumbersProps) {
  const { requests, errors, p50Ms, p99Ms, deliveries, failedDeliveries } = total;
  const running = processes.filter(({ health }) => health === 'running');
  const now = (of: 'liveDocuments' | 'liveConnections') =>
    countText(running.reduce((sum, { state }) => sum + state[of], 0));
  const share = requests > 0 ? `${((100 * errors) / requests).toFixed(2)} % of requests` : '';
  const tiles = [
    ['Requests', countText(requests), `in the last ${span}`],
    ['Server errors', countText(errors), share],
    ['Median latency', p50Ms === null ? '–' : msText(p50Ms), 'half are faster'],
    ['99th percentile', p99Ms === null ? '–' : msText(p99Ms), '99 % are faster'],
    ['Live documents', now('liveDocuments'), `${now('liveConnections')} connections`],
    ['Webhook deliveries', countText(deliveries), `${countText(failedDeliveries)} attempts failed`],
    ['Activity chains', countText(chains.chains), `${countText(chains.verified)} verified`],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4, xl: 7 }} spacing="sm">
      {tiles.map(([name, value, note]) => (
        <Card withBorder padding="sm" key={name}>
          <Note size="xs">{name}</Note>
          <Text fz={26} fw={650} lh={1.2}>
            {value}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {note || ' '}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}
