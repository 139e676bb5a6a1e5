import { Badge, Group, List, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import type { Suggestion } from '../../../../client/index.ts';

interface SuggestionCardProps {
  suggestion: Suggestion;
  title: string;
}

const LOOKS = {
  approve: { color: 'teal', sign: '✓', label: 'approve' },
  reject: { color: 'red', sign: '✕', label: 'reject' },
} as const;

/** A suggested decision, how sure it is, and why. */
export function SuggestionCard({ suggestion, title }: SuggestionCardProps) {
  const { recommendation, confidence, basedOn, uniqueReviewers, scopeLabel } = suggestion;
  const { color, sign, label } = LOOKS[recommendation];
  const percent = Math.round(confidence * 100);
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {title}
          </Title>
          <Badge
            size="lg"
            color={color}
            tt="none"
            leftSection={<span aria-hidden="true">{sign}</span>}
          >
            {label}
          </Badge>
        </Group>
        <div>
          <Text size="sm">{`${percent} % confidence`}</Text>
          <Progress value={percent} color={color} aria-label="Confidence" />
        </div>
        <Text size="sm">
          {`Based on ${basedOn} decisions by ${uniqueReviewers} reviewers. ${scopeLabel}.`}
        </Text>
        <Lines title="Reasons" lines={suggestion.topReasons} />
        <Lines title="Caveats" lines={suggestion.caveats} />
      </Stack>
    </Paper>
  );
}

function Lines({ title, lines }: { title: string; lines: string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line} className="memory-text">
            {line}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
