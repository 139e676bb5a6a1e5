import { Badge, Group, Paper, Text } from '@mantine/core';
import { stanceOf } from '../../../../features/memory/judgments/stance.ts';
import type { OutputOf } from '../../api/client.ts';
import { CopyText, Note, nameOf, TimeNote } from '../../parts/basics.tsx';

type Judgment = OutputOf<'console.memory.judgments'>['judgments'][number];

/** One judgment: what was decided about which item, by whom and why. */
export function JudgmentItem({ judgment }: { judgment: Judgment }) {
  const { query, decision, reasoning, judgeType, createdAt, recordId, reviewer } = judgment;
  const who = reviewer ? nameOf(reviewer) : 'Unnamed reviewer';
  const where = [judgment.organizationId, judgment.documentId].filter(Boolean).join(' / ');
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
        <DecisionBadge decision={decision} />
        <Note size="xs">
          {judgeType === 'agent' ? `${who} (agent)` : who}
          {where && ` in ${where}`}
        </Note>
        <TimeNote at={createdAt} />
      </Group>
      <Text className="console-text">{query}</Text>
      {reasoning && (
        <Text c="dimmed" className="console-text">
          Because: {reasoning}
        </Text>
      )}
      <CopyText text={recordId} />
    </Paper>
  );
}

const DECISION_LOOKS = {
  '1': { color: 'teal', sign: '✓' },
  '-1': { color: 'red', sign: '✕' },
  '0': { color: 'gray', sign: '·' },
} as const;

/** A decision. Its colour shows whether it is for the item, against it, or neither. */
export function DecisionBadge({ decision }: { decision: string }) {
  const { color, sign } = DECISION_LOOKS[`${stanceOf(decision)}`];
  return (
    <Badge color={color} leftSection={<span aria-hidden="true">{sign}</span>}>
      {decision}
    </Badge>
  );
}
