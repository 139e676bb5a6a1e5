import { Button, Group, NativeSelect, Stack, TagsInput, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Failure } from '../../parts/failure.tsx';
import { fieldErrors, hasFieldErrors } from '../../parts/field-errors.ts';
import { ErasureProgress } from './erasure-progress.tsx';

const CONTENTS = [
  { value: 'keep', label: 'stays, with a deleted user as author' },
  { value: 'remove', label: 'is deleted too, copies included' },
];

/** Erases people. The job stands in the address, so that one can leave and come back. */
export function ErasePeople() {
  const { client } = useKey();
  const [{ job, tasks }, setSearch] = usePageSearch();
  const [userIds, setUserIds] = useState<string[]>([]);
  const [contents, setContents] = useState('keep');
  const [organizationIds, setOrganizationIds] = useState<string[]>([]);
  const input = {
    userIds,
    contents: contents === 'remove' ? ('remove' as const) : ('keep' as const),
    ...(organizationIds.length > 0 && { organizationIds }),
  };
  const erasing = useMutation({
    mutationFn: () => client.userData.delete(input),
    onSuccess: ({ jobId, tasksCount }) => {
      setUserIds([]);
      setSearch({ job: jobId, tasks: String(tasksCount) }, 'push');
    },
  });
  const problem = fieldErrors(erasing.error);
  const ask = () =>
    confirmDestruction({
      title: userIds.length === 1 ? 'Erase this person?' : `Erase ${userIds.length} people?`,
      what: (
        <Stack gap="xs">
          <Text size="sm" fw={600}>
            {userIds.join(', ')}
          </Text>
          <Text size="sm">
            {organizationIds.length > 0
              ? `In ${organizationIds.join(', ')}: roles`
              : 'Everywhere in this key: roles'}
            , inboxes, reactions, recordings and presence. What they wrote{' '}
            {CONTENTS.find(({ value }) => value === contents)?.label}. This cannot be undone.
          </Text>
        </Stack>
      ),
      act: 'Erase',
      onConfirm: () => erasing.mutate(),
    });
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        Erase people
      </Title>
      <TagsInput
        label="User ids"
        description="Enter adds one."
        value={userIds}
        onChange={setUserIds}
        error={problem('userIds')}
        acceptValueOnBlur
      />
      <TagsInput
        label="Only in these organizations"
        description="Ids; none stands for the whole key."
        value={organizationIds}
        onChange={setOrganizationIds}
        error={problem('organizationIds')}
        acceptValueOnBlur
      />
      <NativeSelect
        label="What they wrote"
        data={CONTENTS}
        value={contents}
        onChange={({ currentTarget }) => setContents(currentTarget.value)}
      />
      {erasing.error && !hasFieldErrors(erasing.error) && <Failure error={erasing.error} />}
      <Group>
        <Button
          color="red"
          disabled={userIds.length === 0}
          loading={erasing.isPending}
          onClick={ask}
        >
          Erase
        </Button>
        <CopyCurl operation="userData.delete" input={input} />
      </Group>
      {job && (
        <ErasureProgress
          key={job}
          jobId={job}
          tasksCount={Number(tasks ?? 0)}
          onClose={() => setSearch({ job: undefined, tasks: undefined })}
        />
      )}
    </Stack>
  );
}
