import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alert } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { done, failed } from '../../parts/notices.ts';
import { safeAddress } from '../../parts/safe-address.ts';
import { Time } from '../../parts/time.tsx';
import { EvidenceChart } from './evidence-chart.tsx';
import { EvidenceFigures } from './evidence-figures.tsx';
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
              <Badge color={COLOURS[severity]} tt="none">{`severity ${severity}`}</Badge>
              <Badge color="gray" tt="none">
                {alertType}
              </Badge>
              <Text size="xs" c="dimmed">
                <Time at={createdAt} />
              </Text>
            </Group>
          </div>
          <Dismiss alert={alert} />
        </Group>
        <Text size="sm" className="memory-text">
          {description}
        </Text>
        {suggestedAction && (
          <Text size="sm" className="memory-text">
            <b>What to do: </b>
            {suggestedAction}{' '}
            {address && (
              <Anchor href={address} target="_blank" rel="noopener noreferrer" inherit>
                Go there
              </Anchor>
            )}
          </Text>
        )}
        <EvidenceFigures evidence={evidence} />
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
                {isOpen ? 'Hide' : 'Show'} the {evidence.sourceRecordIds.length} judgments to look
                at
              </Button>
            </Group>
            {isOpen && <SourceJudgments recordIds={evidence.sourceRecordIds} />}
          </>
        )}
      </Stack>
    </Paper>
  );
}

function Dismiss({ alert: { id, title } }: { alert: Alert }) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const dismissing = useMutation({
    mutationFn: () => client.memory.alerts.dismiss({ alertId: id }),
    onSuccess: () => {
      done('The alert was dismissed.');
      return cache.invalidateQueries({ queryKey: ['memory', apiKey, 'alerts'] });
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Dismiss the alert?',
      what: `“${title}” leaves the list for everybody, and cannot be brought back.`,
      act: 'Dismiss it',
      onConfirm: () => dismissing.mutate(),
    });
  return (
    <Button size="compact-sm" variant="default" loading={dismissing.isPending} onClick={ask}>
      Dismiss
    </Button>
  );
}
