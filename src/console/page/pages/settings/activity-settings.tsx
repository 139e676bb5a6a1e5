import { Group, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { changedTriggers, Triggers, type TriggerValues } from './triggers.tsx';

interface Values {
  isEnabled: boolean;
  immutable: boolean;
  triggers: TriggerValues;
}

const FIELD = 'activityServiceConfig';

/** The settings of the activity log. */
export function ActivitySettings() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['activity config', apiKey],
    queryFn: async ({ signal }): Promise<Values> => {
      const { activityServiceConfig } = await client.activityConfig.get({}, { signal });
      const { isEnabled, immutable = false, triggers = {} } = activityServiceConfig;
      return { isEnabled, immutable, triggers };
    },
  });
  return (
    <Stack maw={860}>
      <Loaded query={config}>{(stored) => <Fields stored={stored} />}</Loaded>
      <Group>
        <CopyCurl operation="activityConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

function Fields({ stored }: { stored: Values }) {
  const { client } = useKey();
  const form = useConfigForm(stored, ['activity config'], ({ triggers, ...changes }) =>
    client.activityConfig.update({
      activityServiceConfig: {
        ...changes,
        ...(triggers && { triggers: changedTriggers(triggers, stored.triggers) }),
      },
    }),
  );
  const { draft, set, problem } = form;
  return (
    <ConfigForm form={form}>
      <Switch
        label="Record activities"
        description="When you turn it on for the first time, all triggers are on and the log is tamper-evident."
        checked={draft.isEnabled}
        onChange={({ currentTarget }) => set({ isEnabled: currentTarget.checked })}
      />
      <Switch
        label="Tamper-evident"
        description="Chain records by hashes, so that changes and gaps can be detected."
        checked={draft.immutable}
        onChange={({ currentTarget }) => set({ immutable: currentTarget.checked })}
        error={problem(`${FIELD}.immutable`)}
      />
      <Triggers
        triggers={draft.triggers}
        onChange={(triggers) => set({ triggers })}
        error={problem(`${FIELD}.triggers`)}
      />
    </ConfigForm>
  );
}
