import { Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refusal } from '../../api/failure.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';

const POLL_MS = 3_000;

/** Deletes an organization with everything in it. Its id stands in the address meanwhile. */
export function DeleteOrganization() {
  const { client } = useKey();
  const [{ deleted }, setSearch] = usePageSearch();
  const [organizationId, setOrganizationId] = useState('');
  const [answer, setAnswer] = useState('');
  const deleting = useMutation({
    mutationFn: async () => {
      const outcomes = await client.organizations.delete({ organizationIds: [organizationId] });
      const outcome = outcomes[organizationId];
      if (!outcome?.success) throw refusal(outcome?.message);
      setAnswer(outcome.message);
      setSearch({ deleted: organizationId }, 'push');
      setOrganizationId('');
    },
  });
  const ask = () =>
    confirmDestruction({
      title: 'Delete this organization?',
      what: (
        <Text size="sm">
          This deletes <strong>{organizationId}</strong> with all folders, documents, comments,
          people and groups. It cannot be undone.
        </Text>
      ),
      act: 'Delete organization',
      onConfirm: () => deleting.mutate(),
    });
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        Delete organization
      </Title>
      <Group align="flex-end">
        <EntryPicker
          kind="organization"
          label="Organization to delete"
          value={organizationId}
          onChange={setOrganizationId}
        />
        <ActButton
          color="red"
          disabled={organizationId === ''}
          loading={deleting.isPending}
          onClick={ask}
        >
          Delete
        </ActButton>
        <CopyCurl operation="organizations.delete" input={{ organizationIds: [organizationId] }} />
      </Group>
      {deleting.error && <Failure error={deleting.error} />}
      {deleted && <DeletionProgress organizationId={deleted} answer={answer} />}
    </Stack>
  );
}

interface DeletionProgressProps {
  organizationId: string;
  answer: string;
}

/** Large organizations are deleted in the background: it is over when nobody finds it any more. */
function DeletionProgress({ organizationId, answer }: DeletionProgressProps) {
  const { apiKey, client } = useKey();
  const present = useQuery({
    queryKey: ['organization left', apiKey, organizationId],
    queryFn: async ({ signal }) => {
      const input = { organizationIds: [organizationId] };
      const { data } = await client.organizations.get(input, { signal });
      return data.length > 0;
    },
    refetchInterval: ({ state }) => (state.data === false ? false : POLL_MS),
  });
  return (
    <Loaded query={present} lines={1}>
      {(isLeft) => (
        <Group gap="xs" role="status">
          {isLeft && <Loader size="xs" />}
          <Text size="sm">
            {isLeft
              ? `${answer || 'Deleting.'} You can leave this page.`
              : `${organizationId} was deleted.`}
          </Text>
          {!isLeft && (
            <PageLink page="events" search={{ type: 'organization.delete', organizationId }}>
              View event
            </PageLink>
          )}
        </Group>
      )}
    </Loaded>
  );
}
