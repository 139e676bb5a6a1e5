import { Stack, Text } from '@mantine/core';
import { probabilityOf, USUAL_SLOPE } from '../../../../features/memory/suggest/probability.ts';
import { useRead } from '../../api/read.ts';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ShortTable } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { percent } from './rates.tsx';

/** How surely this key's judgments are repeated, as the server learned it from them. */
export function CalibrationTab() {
  const calibration = useRead('console.memory.calibration', {});
  return (
    <Loaded query={calibration}>
      {({ calibration: found }) =>
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
          'This key is': isUsual ? 'as confident as usual' : compared,
          'New judgments': isDue ? 'will be learned from soon' : 'none since',
        }}
      />
      <ShortTable
        label="Confidence by the clearness of the evidence"
        rows={EVIDENCE}
        keyOf={({ label }) => label}
        minWidth={320}
        columns={[
          { head: 'Evidence', cell: ({ label }) => label },
          { head: 'Confidence here', cell: ({ score }) => percent(probabilityOf(score, slope)) },
          { head: 'Usually', cell: ({ score }) => percent(probabilityOf(score, USUAL_SLOPE)) },
        ]}
      />
      <Text size="sm" c="dimmed">
        The server predicts recent decisions and compares. The more consistently people decide, the
        more confident its suggestions are.
      </Text>
    </Stack>
  );
}
