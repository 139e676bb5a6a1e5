import { Badge, Stack, Table, Text, Title } from '@mantine/core';
import { Time } from '../../parts/time.tsx';
import type { SeenProcess, ServerOverview } from './overview-data.ts';
import { megabytesText, msText } from './units.ts';

/** Every process that was seen in the time shown. */
export function Processes({ server: { processes } }: { server: ServerOverview }) {
  return (
    <Stack gap="sm" id="processes">
      <Title order={2} size="h4">
        Processes
      </Title>
      <Table.ScrollContainer
        minWidth={820}
        type="native"
        tabIndex={0}
        role="region"
        aria-label="Processes"
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Process</Table.Th>
              <Table.Th>Health</Table.Th>
              <Table.Th>Roles</Table.Th>
              <Table.Th>Version</Table.Th>
              <Table.Th>Started</Table.Th>
              <Table.Th>Last seen</Table.Th>
              <Table.Th>Event loop</Table.Th>
              <Table.Th>Memory</Table.Th>
              <Table.Th>Database</Table.Th>
              <Table.Th>Redis</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {processes.map((process) => (
              <ProcessRow key={process.id} process={process} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

const COLORS = { running: 'teal', stopped: 'gray', gone: 'red' } as const;

function ProcessRow({ process }: { process: SeenProcess }) {
  const { host, pid, health, roles, version, startedAt, seenAt, state } = process;
  const { inUse, idle, waiting } = state.database;
  return (
    <Table.Tr>
      <Table.Td>
        {host}
        <Text size="xs" c="dimmed">
          process {pid}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge color={COLORS[health]} tt="none" miw="max-content">
          {health}
        </Badge>
      </Table.Td>
      <Table.Td>{roles.join(', ')}</Table.Td>
      <Table.Td>{version}</Table.Td>
      <Table.Td>
        <Time at={startedAt} />
      </Table.Td>
      <Table.Td>
        <Time at={seenAt} />
      </Table.Td>
      <Table.Td>{msText(state.loopDelayMs)} delay</Table.Td>
      <Table.Td>{megabytesText(state.memoryBytes)}</Table.Td>
      <Table.Td>
        {inUse} of {inUse + idle} in use
        {waiting > 0 && `, ${waiting} waiting`}
      </Table.Td>
      <Table.Td>
        {state.redis === null ? 'Not used' : state.redis ? 'Connected' : 'Not reachable'}
      </Table.Td>
    </Table.Tr>
  );
}
