import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { probabilityOf, USUAL_SLOPE } from '../../../../features/memory/suggest/probability.ts';
import { useKey } from '../../api/key.ts';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { percent } from './rates.ts';

/** How surely this key's judgments are repeated, as the server learned it from them. */
export function CalibrationTab() {
  const { apiKey, own } = useKey();
  const calibration = useQuery({
    queryKey: ['memory', apiKey, 'calibration'],
    queryFn: async ({ signal }) => {
      const answer = await own.memory.calibration.query({}, { signal });
      return answer.calibration;
    },
  });
  return (
    <Loaded query={calibration}>
      {(found) =>
        found ? (
          <Calibration {...found} />
        ) : (
          <Empty title="Not calibrated yet">
            Suggestions use the default confidence. With more decisions, the server tests itself on
            them and adjusts.
          </Empty>
        )
      }
    </Loaded>
  );
}

/** How clearly like items point to a decision: from barely to unanimously. */
const EVIDENCE = [
  { score: 0.05, label: 'Barely' },
  { score: 0.1, label: 'Weakly' },
  { score: 0.25, label: 'Clearly' },
  { score: 0.5, label: 'Strongly' },
  { score: 1, label: 'Unanimously' },
];

interface CalibrationProps {
  slope: number;
  examples: number;
  fittedAt: number;
  isDue: boolean;
}

function Calibration({ slope, examples, fittedAt, isDue }: CalibrationProps) {
  const ratio = slope / USUAL_SLOPE;
  const isUsual = Math.abs(ratio - 1) < 0.05;
  const compared = ratio > 1 ? 'more confident than usual' : 'less confident than usual';
  return (
    <Stack gap="md">
      <Facts
        facts={{
          'Learned from': `${examples.toLocaleString('en')} judgments`,
          When: <Time at={fittedAt} />,
          'This key is': isUsual
            ? 'as confident as usual'
            : `${compared} (slope × ${ratio.toFixed(2)})`,
          'New judgments': isDue ? 'will be learned from soon' : 'none since',
        }}
      />
      <Table.ScrollContainer minWidth={320}>
        <Table withTableBorder aria-label="Confidence by the clearness of the evidence">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Evidence</Table.Th>
              <Table.Th>Confidence here</Table.Th>
              <Table.Th>Usually</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {EVIDENCE.map(({ score, label }) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{percent(probabilityOf(score, slope))}</Table.Td>
                <Table.Td>{percent(probabilityOf(score, USUAL_SLOPE))}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed">
        The server predicts recent decisions and compares. The more consistently people decide, the
        more confident its suggestions are.
      </Text>
    </Stack>
  );
}
