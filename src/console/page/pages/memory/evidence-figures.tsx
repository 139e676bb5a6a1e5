import { Table, Text } from '@mantine/core';
import type { AlertEvidence } from '../../../../client/index.ts';

/** The figures of before and of now beside each other, as the server compared them. */
export function EvidenceFigures({ evidence }: { evidence: AlertEvidence }) {
  const { baseline, current, metric, pValue } = evidence;
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(current)])];
  return (
    <>
      <Table.ScrollContainer minWidth={280}>
        <Table withTableBorder aria-label={`Figures: ${metric}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{metric}</Table.Th>
              <Table.Th>Before</Table.Th>
              <Table.Th>Now</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Td>{wordsOf(name)}</Table.Td>
                <Table.Td>{shown(name, baseline[name])}</Table.Td>
                <Table.Td>{shown(name, current[name])}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        {pValue > 0
          ? `By chance, this would happen once in ${Math.round(1 / pValue).toLocaleString('en')} such times.`
          : 'This practically never happens by chance.'}
      </Text>
    </>
  );
}

/** `olderApproved` as `older approved`. */
const wordsOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function shown(name: string, value: number | string | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return /rate$/i.test(name) && value <= 1
    ? `${Math.round(value * 100)} %`
    : value.toLocaleString('en', { maximumFractionDigits: 2 });
}
