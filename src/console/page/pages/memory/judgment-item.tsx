import { Badge, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy-text.tsx';
import { Time } from '../../parts/time.tsx';
import { stanceOf } from './stance.ts';

interface ShownJudgment {
  recordId: string;
  query: string;
  decision: string;
  reasoning?: string | null | undefined;
  organizationId?: string | null | undefined;
  documentId?: string | null | undefined;
  reviewerId?: string | null | undefined;
  reviewerName?: string | null | undefined;
  judgeType: string;
  createdAt: number;
}

interface JudgmentItemProps {
  judgment: ShownJudgment;
  /** Further facts, such as how similar it is. */
  note?: ReactNode;
}

/** One judgment: what was decided about which item, by whom and why. */
export function JudgmentItem({ judgment, note }: JudgmentItemProps) {
  const { query, decision, reasoning, judgeType, createdAt, recordId } = judgment;
  const { reviewerId, reviewerName, organizationId, documentId } = judgment;
  const who = reviewerName ?? reviewerId ?? 'Nobody named';
  const where = [organizationId, documentId].filter(Boolean).join(' / ');
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
        <DecisionBadge decision={decision} />
        {note}
        <Text size="xs" c="dimmed">
          {judgeType === 'agent' ? `${who} (agent)` : who}
          {where && ` in ${where}`}
        </Text>
        <Text size="xs" c="dimmed">
          <Time at={createdAt} />
        </Text>
      </Group>
      <Text size="sm" className="memory-text">
        {query}
      </Text>
      {reasoning && (
        <Text size="sm" c="dimmed" className="memory-text">
          Because: {reasoning}
        </Text>
      )}
      <CopyText text={recordId} />
    </Paper>
  );
}

const LOOKS = {
  '1': { color: 'teal', sign: '✓' },
  '-1': { color: 'red', sign: '✕' },
  '0': { color: 'gray', sign: '·' },
} as const;

export function DecisionBadge({ decision }: { decision: string }) {
  const { color, sign } = LOOKS[stanceOf(decision)];
  return (
    <Badge color={color} tt="none" leftSection={<span aria-hidden="true">{sign}</span>}>
      {decision}
    </Badge>
  );
}
