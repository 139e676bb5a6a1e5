import { Alert, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { advancedConfig } from './use-endpoints.ts';

/** Shows what needs advanced webhooks, or how to turn them on. */
export function WithAdvancedWebhooks({ children }: { children: ReactNode }) {
  const { apiKey, client } = useKey();
  const config = useQuery(advancedConfig(apiKey, client));
  return (
    <Loaded query={config}>{({ isEnabled }) => (isEnabled ? children : <SwitchedOff />)}</Loaded>
  );
}

function SwitchedOff() {
  return (
    <Alert title="Webhook endpoints are off for this key" color="blue">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">
          Turn them on to send events to endpoints: signed, retried for more than a day, and with
          every attempt listed here.
        </Text>
        <AdvancedSwitch isEnabled={false} />
      </Stack>
    </Alert>
  );
}

/** Turns advanced webhooks of the key on or off. */
export function AdvancedSwitch({ isEnabled }: { isEnabled: boolean }) {
  const { apiKey, client } = useKey();
  const switching = useMutation({
    mutationFn: () => client.advancedWebhookConfig.update({ isEnabled: !isEnabled }),
    onSuccess: (config) => {
      queries.setQueryData(advancedConfig(apiKey, client).queryKey, config);
      done(`Webhook endpoints are ${config.isEnabled ? 'on' : 'off'}.`);
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Turn off webhook endpoints?',
      what: 'No endpoint of this key receives anything until you turn them on again. Pending deliveries are kept; events in the meantime are not delivered later.',
      act: 'Turn off',
      onConfirm: () => switching.mutate(),
    });
  return isEnabled ? (
    <ActButton variant="subtle" color="gray" size="compact-sm" onClick={ask}>
      Turn off webhook endpoints
    </ActButton>
  ) : (
    <ActButton onClick={() => switching.mutate()} loading={switching.isPending}>
      Turn on
    </ActButton>
  );
}
