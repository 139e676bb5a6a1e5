import { Table, Text } from '@mantine/core';
import { Empty } from '../../parts/empty.tsx';
import { Time } from '../../parts/time.tsx';
import { bytesText } from './bytes-text.ts';
import type { InspectedEditor } from './inspected.ts';

/** The last rows of an editor's log. */
export function Edits({ edits }: { edits: InspectedEditor['edits'] }) {
  if (edits.length === 0) {
    return (
      <Empty title="No recent edits">
        All edits are merged into the snapshot. The next edit appears here.
      </Empty>
    );
  }
  return (
    <>
      <Table.ScrollContainer minWidth={340}>
        <Table aria-label="Last edits">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th>Versions</Table.Th>
              <Table.Th>Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {edits.map(({ firstVersion, version, at, userId, bytes }) => (
              <Table.Tr key={firstVersion}>
                <Table.Td>
                  <Time at={at} />
                </Table.Td>
                <Table.Td>{userId ?? 'the API key'}</Table.Td>
                <Table.Td>
                  {firstVersion === version ? version : `${firstVersion} to ${version}`}
                </Table.Td>
                <Table.Td>{bytesText(bytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        Each row combines consecutive small edits, with the time and author of the last one.
      </Text>
    </>
  );
}
