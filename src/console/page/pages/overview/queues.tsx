import { Stack, Table, Text, Title } from '@mantine/core';
import type { ServerOverview } from './overview-data.ts';
import { countText, secondsText } from './units.ts';

const QUEUE_NAMES: Record<string, string> = {
  outbox: 'Events waiting to be ordered',
  jobs: 'Background jobs',
  'failed jobs': 'Failed background jobs',
  mails: 'Emails',
  'pending deliveries': 'Webhook endpoints with pending deliveries',
  'due deliveries': 'Webhook endpoints with overdue deliveries',
};

/** The work that waits in PostgreSQL at this moment. */
export function Queues({ server: { queues } }: { server: ServerOverview }) {
  const waitingNow = queues.filter(({ waiting }) => waiting > 0);
  return (
    <Stack gap="sm" id="queues">
      <Title order={2} size="h4">
        Queues
      </Title>
      {waitingNow.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is waiting.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Queue</Table.Th>
              <Table.Th ta="right">Waiting</Table.Th>
              <Table.Th ta="right">Oldest</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {waitingNow.map(({ queue, waiting, oldestSeconds }) => (
              <Table.Tr key={queue}>
                <Table.Td>
                  {QUEUE_NAMES[queue] ?? queue.replace(/^reader /, 'Event reader: ')}
                </Table.Td>
                <Table.Td ta="right">{countText(waiting)}</Table.Td>
                <Table.Td ta="right">{secondsText(oldestSeconds)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
