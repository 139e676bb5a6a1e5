import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
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
    <Alert title="Advanced webhooks are off for this key" color="blue">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">
          Switched on, each event is sent to the endpoints that select it: signed, repeated for more
          than a day while they fail, and with every attempt shown here.
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
      done(`Advanced webhooks are ${config.isEnabled ? 'on' : 'off'}.`);
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Turn advanced webhooks off?',
      what: 'No endpoint of this key receives anything until they are on again. Deliveries that wait are kept. Events in the meantime are not delivered later.',
      act: 'Turn off',
      onConfirm: () => switching.mutate(),
    });
  return isEnabled ? (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={ask}>
      Turn advanced webhooks off
    </Button>
  ) : (
    <Button onClick={() => switching.mutate()} loading={switching.isPending}>
      Turn on
    </Button>
  );
}
