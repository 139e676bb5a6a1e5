import { Checkbox, Group, NativeSelect, NumberInput, Stack, Switch, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AlertConfig } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';

type AlertType = AlertConfig['enabledAlertTypes'][number];

const ALERTS: Record<AlertType, string> = {
  'approval-rate-drift': 'Approval rate is drifting',
  'reviewer-divergence': 'A reviewer decides differently from others',
  'conflicting-decisions': 'Conflicting decisions about similar items',
  'unusual-volume': 'Unusual number of decisions',
  'abandoned-precedent': 'A precedent is no longer followed',
};

/** The alerts of the decision memory. */
export function MemorySettings() {
  const { apiKey, client } = useKey();
  const alerts = useQuery({
    queryKey: ['alert config', apiKey],
    queryFn: ({ signal }) => client.memory.alerts.config.get({}, { signal }),
  });
  return (
    <Stack maw={640}>
      <Title order={2} size="h4">
        Alerts
      </Title>
      <Loaded query={alerts}>{(stored) => <AlertFields stored={stored} />}</Loaded>
      <Group>
        <CopyCurl operation="memory.alerts.config.get" input={{}} />
      </Group>
    </Stack>
  );
}

function AlertFields({ stored }: { stored: AlertConfig }) {
  const { client } = useKey();
  const { draft, set, problem, ...form } = useConfigForm(stored, ['alert config'], (changes) =>
    client.memory.alerts.config.update(changes),
  );
  return (
    <ConfigForm form={{ draft, set, problem, ...form }}>
      <Switch
        label="Raise alerts"
        checked={draft.enabled}
        onChange={({ currentTarget }) => set({ enabled: currentTarget.checked })}
      />
      <Checkbox.Group
        label="Alert types"
        value={draft.enabledAlertTypes}
        onChange={(types) => set({ enabledAlertTypes: types as AlertType[] })}
        error={problem('enabledAlertTypes')}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(ALERTS).map(([value, label]) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Minimum severity"
        description="Less severe findings do not raise alerts."
        data={['low', 'medium', 'high']}
        value={draft.severityThreshold}
        onChange={({ currentTarget }) =>
          set({ severityThreshold: currentTarget.value as AlertConfig['severityThreshold'] })
        }
        error={problem('severityThreshold')}
      />
      <NumberInput
        label="Maximum alerts per week"
        description="The most severe come first. Others follow later if they persist."
        value={draft.maxAlertsPerWeek}
        onChange={(value) => set({ maxAlertsPerWeek: Number(value) })}
        error={problem('maxAlertsPerWeek')}
      />
    </ConfigForm>
  );
}
