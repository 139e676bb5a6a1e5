import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ServerOverview } from './overview-data.ts';
import { countText, msText } from './units.ts';

interface NumbersProps {
  server: ServerOverview;
  span: 'hour' | 'day';
}

/** The whole time in a few numbers. */
export function Numbers({ server: { total, processes }, span }: NumbersProps) {
  const { requests, errors, p50Ms, p99Ms, deliveries, failedDeliveries } = total;
  const running = processes.filter(({ health }) => health === 'running');
  const now = (of: 'liveDocuments' | 'liveConnections') =>
    countText(running.reduce((sum, { state }) => sum + state[of], 0));
  const share = requests > 0 ? `${((100 * errors) / requests).toFixed(2)} % of requests` : '';
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      <Tile name="Requests" value={countText(requests)} note={`in the last ${span}`} />
      <Tile name="Server errors" value={countText(errors)} note={share} />
      <Tile
        name="Median latency"
        value={p50Ms === null ? '–' : msText(p50Ms)}
        note="half are faster"
      />
      <Tile
        name="99th percentile"
        value={p99Ms === null ? '–' : msText(p99Ms)}
        note="99 % are faster"
      />
      <Tile
        name="Live documents"
        value={now('liveDocuments')}
        note={`${now('liveConnections')} connections`}
      />
      <Tile
        name="Webhook deliveries"
        value={countText(deliveries)}
        note={`${countText(failedDeliveries)} attempts failed`}
      />
    </SimpleGrid>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={26} fw={650} lh={1.2}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {note || ' '}
      </Text>
    </Card>
  );
}
