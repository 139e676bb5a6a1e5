import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { done, failed } from '../../parts/notices.ts';
import { nameOf, type Place, type Question } from './question.ts';
import { changeOf, resourceOf } from './use-what-if.ts';

interface WhatIfProps {
  question: Question;
  places: readonly Place[];
}

const ACTS = [
  { value: '', label: 'No change' },
  { value: 'add', label: 'Add role' },
  { value: 'remove', label: 'Remove role' },
];

/** Chooses a change of a role, shows it as a call, and makes it. */
export function WhatIf({ question, places }: WhatIfProps) {
  const [search, set] = usePageSearch();
  const change = changeOf(search);
  const nearest = places.at(-1);
  const choose = (act: string) =>
    set({ if: act, on: search.on ?? (nearest && `${nearest.type}:${nearest.id}`) });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Preview a change: nothing is stored until you apply it.
      </Text>
      <SegmentedControl
        fullWidth
        aria-label="What would happen"
        data={ACTS}
        value={change?.act ?? ''}
        onChange={choose}
      />
      {change && (
        <>
          <Select
            label="On"
            data={places.toReversed().map((place) => ({
              value: `${place.type}:${place.id}`,
              label: nameOf(place),
            }))}
            value={search.on ?? null}
            onChange={(on) => set({ on: on ?? undefined })}
            allowDeselect={false}
          />
          {change.act === 'add' && (
            <SimpleGrid cols={{ base: 1, sm: 2, md: 1, lg: 2 }}>
              <Select
                label="Role"
                data={[
                  { value: 'viewer', label: 'Viewer: can read' },
                  { value: 'editor', label: 'Editor: can read and write' },
                ]}
                value={change.role}
                onChange={(role) => set({ role: role ?? undefined })}
                allowDeselect={false}
              />
              <TextInput
                label="Expires (optional)"
                type="datetime-local"
                value={change.until ?? ''}
                onChange={({ currentTarget }) => set({ until: currentTarget.value })}
              />
            </SimpleGrid>
          )}
          <DoIt question={question} places={places} />
        </>
      )}
    </Stack>
  );
}

/** Makes the change by the public operation. */
function DoIt({ question: { organizationId, userId }, places }: WhatIfProps) {
  const { apiKey, client } = useKey();
  const queries = useQueryClient();
  const [search, set] = usePageSearch();
  const change = changeOf(search);
  const input = change && {
    user: { userId },
    permissions: { resources: [resourceOf(change, organizationId)] },
  };
  const doing = useMutation({
    mutationFn: async () => {
      if (input) await client.permissions[change.act](input);
    },
    onSuccess: async () => {
      done(change?.act === 'add' ? 'Role added.' : 'Role removed.');
      set({ if: undefined, on: undefined, role: undefined, until: undefined });
      await queries.invalidateQueries({ queryKey: ['access', apiKey] });
      await queries.invalidateQueries({ queryKey: ['directory', apiKey] });
    },
    onError: failed,
  });
  if (!change || !input) return null;
  const place = places.find(({ type, id }) => type === change.place.type && id === change.place.id);
  const where = place ? nameOf(place) : change.place.id;
  const confirm = () =>
    confirmDestruction({
      title: `Remove the role of ${userId}?`,
      what: `${userId} loses the role on ${where}. Open editors are closed unless another role gives access.`,
      act: 'Remove role',
      onConfirm: () => doing.mutate(),
    });
  return (
    <Group gap="xs">
      <ActButton
        size="sm"
        color={change.act === 'remove' ? 'red' : undefined}
        loading={doing.isPending}
        onClick={() => (change.act === 'remove' ? confirm() : doing.mutate())}
      >
        Apply
      </ActButton>
      <CopyCurl operation={`permissions.${change.act}`} input={input} />
    </Group>
  );
}
