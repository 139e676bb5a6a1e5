import { Group, Select, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { NotificationPreference } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import type { Whose } from './whose.ts';

type Levels = NotificationPreference['config'];
type Channel = keyof Levels;

const LEVELS = [
  { value: 'ALL', label: 'All of their threads' },
  { value: 'MINE', label: 'Mentions, assignments, own threads' },
  { value: 'NONE', label: 'Nothing' },
];

/** The notification preferences of a person in an organization. */
export function Preferences({ whose }: { whose: Whose }) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
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
      done('The preferences were changed.');
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
      disabled={setting.isPending}
      onChange={(level) => level && setting.mutate({ [channel]: level as Levels[Channel] })}
    />
  );
  return (
    <Loaded query={preferences} lines={1}>
      {(levels) =>
        levels ? (
          <Group align="flex-end">
            {field('inbox', 'Wants in the inbox', levels)}
            {field('email', 'Wants by e-mail', levels)}
          </Group>
        ) : (
          <Text size="sm">There is no such person.</Text>
        )
      }
    </Loaded>
  );
}
