import { Group, NumberInput, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { changedTriggers, Triggers, type TriggerValues } from './triggers.tsx';

interface Values {
  isOn: boolean;
  triggers: TriggerValues;
  isDelayed: boolean;
  delaySeconds: number | string;
  isBatched: boolean;
  windowSeconds: number | string;
  maxNotifications: number | string;
}

/** The triggers of notifications, and the times for which they wait. */
export function NotificationSettings() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['notification config', apiKey],
    queryFn: async ({ signal }): Promise<Values> => {
      const stored = await client.notificationConfig.get({}, { signal });
      const { useNotificationService: isOn, triggers, delay, batching } = stored;
      const { delaySeconds } = delay;
      const { windowSeconds, maxNotifications } = batching;
      return {
        ...{ isOn, triggers, delaySeconds, windowSeconds, maxNotifications },
        isDelayed: delay.isEnabled,
        isBatched: batching.isEnabled,
      };
    },
  });
  return (
    <Stack maw={860}>
      <Loaded query={config}>{(stored) => <Fields stored={stored} />}</Loaded>
      <Group>
        <CopyCurl operation="notificationConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

/** The input of the API for what was changed in the form. */
function inputOf(changes: Partial<Values>, stored: Values) {
  const { isOn, triggers, isDelayed, delaySeconds, isBatched, windowSeconds, maxNotifications } =
    changes;
  const delay = {
    ...(isDelayed !== undefined && { isEnabled: isDelayed }),
    ...(delaySeconds !== undefined && { delaySeconds: Number(delaySeconds) }),
  };
  const batching = {
    ...(isBatched !== undefined && { isEnabled: isBatched }),
    ...(windowSeconds !== undefined && { windowSeconds: Number(windowSeconds) }),
    ...(maxNotifications !== undefined && { maxNotifications: Number(maxNotifications) }),
  };
  return {
    ...(isOn !== undefined && { useNotificationService: isOn }),
    ...(triggers && { triggers: changedTriggers(triggers, stored.triggers) }),
    ...(Object.keys(delay).length > 0 && { delay }),
    ...(Object.keys(batching).length > 0 && { batching }),
  };
}

function Fields({ stored }: { stored: Values }) {
  const { client } = useKey();
  const form = useConfigForm(stored, ['notification config'], (changes) =>
    client.notificationConfig.update(inputOf(changes, stored)),
  );
  const { draft, set, problem } = form;
  return (
    <ConfigForm form={form}>
      <Switch
        label="Send notifications"
        description="To inboxes, and by email if that is turned on."
        checked={draft.isOn}
        onChange={({ currentTarget }) => set({ isOn: currentTarget.checked })}
      />
      <Triggers
        triggers={draft.triggers}
        onChange={(triggers) => set({ triggers })}
        error={problem('triggers')}
      />
      <Switch
        label="Delay notifications"
        description="Nobody is notified of what was read or deleted in the meantime."
        checked={draft.isDelayed}
        onChange={({ currentTarget }) => set({ isDelayed: currentTarget.checked })}
      />
      <NumberInput
        label="Delay in seconds"
        value={draft.delaySeconds}
        onChange={(delaySeconds) => set({ delaySeconds })}
        error={problem('delay.delaySeconds')}
        disabled={!draft.isDelayed}
        w={{ base: '100%', sm: 220 }}
      />
      <Switch
        label="Combine notifications"
        checked={draft.isBatched}
        onChange={({ currentTarget }) => set({ isBatched: currentTarget.checked })}
      />
      <Group align="flex-start">
        <NumberInput
          label="Collect for seconds"
          value={draft.windowSeconds}
          onChange={(windowSeconds) => set({ windowSeconds })}
          error={problem('batching.windowSeconds')}
          disabled={!draft.isBatched}
          w={{ base: '100%', sm: 220 }}
        />
        <NumberInput
          label="Maximum per notification"
          value={draft.maxNotifications}
          onChange={(maxNotifications) => set({ maxNotifications })}
          error={problem('batching.maxNotifications')}
          disabled={!draft.isBatched}
          w={{ base: '100%', sm: 220 }}
        />
      </Group>
    </ConfigForm>
  );
}
