import { Table, Text } from '@mantine/core';
import { type Count, percent, rateOf } from './rates.ts';

/** The same as a chart, in numbers. Days without decisions are left out. */
export function CountsTable({ counts, what }: { counts: readonly Count[]; what: string }) {
  const shown = counts.filter(({ approved, rejected }) => approved + rejected > 0).toReversed();
  return (
    <details>
      <summary>
        <Text span size="sm">
          Data table
        </Text>
      </summary>
      <Table.ScrollContainer minWidth={320} maxHeight={320}>
        <Table stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{what}</Table.Th>
              <Table.Th>Approved</Table.Th>
              <Table.Th>Rejected</Table.Th>
              <Table.Th>Rate</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((count) => (
              <Table.Tr key={count.day}>
                <Table.Td>{new Date(count.day).toLocaleDateString(undefined, UTC)}</Table.Td>
                <Table.Td>{count.approved}</Table.Td>
                <Table.Td>{count.rejected}</Table.Td>
                <Table.Td>{percent(rateOf(count))}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}

const UTC = { timeZone: 'UTC', dateStyle: 'medium' } as const;
