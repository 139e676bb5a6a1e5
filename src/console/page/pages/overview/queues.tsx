import { Stack, Table, Title } from '@mantine/core';
import type { ServerOverview } from './overview-data.ts';
import { countText, secondsText } from './units.ts';

const QUEUE_NAMES: Record<string, string> = {
  outbox: 'Events to be ordered',
  jobs: 'Background jobs',
  'failed jobs': 'Background jobs that failed and are tried again',
  mails: 'E-mails',
  'pending deliveries': 'Webhook endpoints with deliveries to be made or repeated',
  'due deliveries': 'Webhook endpoints with deliveries whose time has come',
};

/** The work that waits in PostgreSQL at this moment. */
export function Queues({ server: { queues } }: { server: ServerOverview }) {
  return (
    <Stack gap="sm" id="queues">
      <Title order={2} size="h4">
        Queues now
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Queue</Table.Th>
            <Table.Th ta="right">Waiting</Table.Th>
            <Table.Th ta="right">The oldest for</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {queues.map(({ queue, waiting, oldestSeconds }) => (
            <Table.Tr key={queue}>
              <Table.Td>
                {QUEUE_NAMES[queue] ?? queue.replace(/^reader /, 'Event reader: ')}
              </Table.Td>
              <Table.Td ta="right">{countText(waiting)}</Table.Td>
              <Table.Td ta="right">{waiting > 0 ? secondsText(oldestSeconds) : '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
