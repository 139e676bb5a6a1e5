import { Group, Select, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { NotificationPreference } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { useReadOnly } from '../../parts/act-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import type { Whose } from './whose.ts';

type Levels = NotificationPreference['config'];
type Channel = keyof Levels;

const LEVELS = [
  { value: 'ALL', label: 'All activity in their threads' },
  { value: 'MINE', label: 'Mentions, assignments and own threads' },
  { value: 'NONE', label: 'None' },
];

/** The notification preferences of a person in an organization. */
export function Preferences({ whose }: { whose: Whose }) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const readOnly = useReadOnly();
  const queryKey = ['feedback', apiKey, 'preferences', whose];
  const preferences = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const [found] = await client.notifications.config.get(whose, { signal });
      return found?.config ?? null;
    },
  });
  const setting = useMutation({
    mutationFn: (config: Partial<Levels>) => client.notifications.config.set({ ...whose, config }),
    onSuccess: () => {
      done('Preferences saved.');
      return cache.invalidateQueries({ queryKey });
    },
    onError: failed,
  });
  const field = (channel: Channel, label: string, levels: Levels) => (
    <Select
      label={label}
      data={LEVELS}
      w={300}
      maw="100%"
      value={levels[channel]}
      allowDeselect={false}
      disabled={setting.isPending || readOnly !== undefined}
      onChange={(level) => level && setting.mutate({ [channel]: level as Levels[Channel] })}
    />
  );
  return (
    <Loaded query={preferences} lines={1}>
      {(levels) =>
        levels ? (
          <Group align="flex-end">
            {field('inbox', 'Inbox', levels)}
            {field('email', 'Email', levels)}
          </Group>
        ) : (
          <Text size="sm">User not found.</Text>
        )
      }
    </Loaded>
  );
}
