import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alert } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { done, failed } from '../../parts/notices.ts';
import { safeAddress } from '../../parts/safe-address.ts';
import { Time } from '../../parts/time.tsx';
import { EvidenceChart } from './evidence-chart.tsx';
import { SourceJudgments } from './source-judgments.tsx';

const COLOURS: Record<Alert['severity'], string> = { high: 'red', medium: 'orange', low: 'gray' };

/** One alert with what it rests on. */
export function AlertCard({ alert }: { alert: Alert }) {
  const { title, description, severity, alertType, evidence, suggestedAction, createdAt } = alert;
  const [isOpen, setOpen] = useState(false);
  const address = safeAddress(alert.actionUrl);
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h4">
              {title}
            </Title>
            <Group gap="xs" mt={4}>
              <Badge color={COLOURS[severity]} tt="none">{`${severity} severity`}</Badge>
              <Badge color="gray" tt="none">
                {alertType.replaceAll('-', ' ')}
              </Badge>
              <Text size="xs" c="dimmed">
                <Time at={createdAt} />
              </Text>
            </Group>
          </div>
          <Dismiss alert={alert} />
        </Group>
        <Text size="sm" className="memory-text">
          {description} {chanceOf(evidence.pValue)}
        </Text>
        {suggestedAction && (
          <Text size="sm" className="memory-text">
            <b>Suggested action: </b>
            {suggestedAction}{' '}
            {address && (
              <Anchor href={address} target="_blank" rel="noopener noreferrer" inherit>
                Open
              </Anchor>
            )}
          </Text>
        )}
        <EvidenceChart evidence={evidence} />
        {evidence.sourceRecordIds.length > 0 && (
          <>
            <Group>
              <Button
                size="compact-sm"
                variant="default"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? 'Hide' : 'Show'} {evidence.sourceRecordIds.length} judgments
              </Button>
            </Group>
            {isOpen && <SourceJudgments recordIds={evidence.sourceRecordIds} />}
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** Smaller odds say no more than this. */
const MAX_ODDS = 1000;

const chanceOf = (pValue: number): string =>
  pValue * MAX_ODDS < 1
    ? 'This is almost certainly not chance.'
    : `By chance alone, this would happen about once in ${Math.round(1 / pValue)} periods.`;

function Dismiss({ alert: { id, title } }: { alert: Alert }) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const dismissing = useMutation({
    mutationFn: () => client.memory.alerts.dismiss({ alertId: id }),
    onSuccess: () => {
      done('Alert dismissed.');
      return cache.invalidateQueries({ queryKey: ['memory', apiKey, 'alerts'] });
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Dismiss this alert?',
      what: `“${title}” disappears for everyone. This cannot be undone.`,
      act: 'Dismiss',
      onConfirm: () => dismissing.mutate(),
    });
  return (
    <ActButton size="compact-sm" variant="default" loading={dismissing.isPending} onClick={ask}>
      Dismiss
    </ActButton>
  );
}
