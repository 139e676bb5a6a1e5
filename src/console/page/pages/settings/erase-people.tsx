import {
  Button,
  Group,
  Modal,
  NativeSelect,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActButton } from '../../parts/act.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { ErasureProgress } from './erasure-progress.tsx';

const CONTENTS = [
  { value: 'keep', label: 'Keep it, with a deleted user as the author' },
  { value: 'remove', label: 'Delete it, copies included' },
];

interface Erasure {
  userIds: [string];
  contents: 'keep' | 'remove';
  organizationIds?: string[];
}

/** Erases a person. The job stands in the address, so that one can leave and come back. */
export function ErasePeople() {
  const [{ job, tasks }, setSearch] = usePageSearch();
  const [isAsking, { open, close }] = useDisclosure();
  const [userId, setUserId] = useState('');
  const [contents, setContents] = useState('keep');
  const [organizationIds, setOrganizationIds] = useState<string[]>([]);
  const input: Erasure = {
    userIds: [userId],
    contents: contents === 'remove' ? 'remove' : 'keep',
    ...(organizationIds.length > 0 && { organizationIds }),
  };
  return (
    <Section title="Erase a person">
      <EntryPicker kind="user" label="Person to erase" value={userId} onChange={setUserId} />
      <TagsInput
        label="Only in these organizations"
        description="Organization IDs. Leave empty to erase the person everywhere in this key."
        value={organizationIds}
        onChange={setOrganizationIds}
        acceptValueOnBlur
      />
      <NativeSelect
        label="Content written by the person"
        data={CONTENTS}
        value={contents}
        onChange={({ currentTarget }) => setContents(currentTarget.value)}
      />
      <Group>
        <ActButton color="red" disabled={userId === ''} onClick={open}>
          Erase…
        </ActButton>
      </Group>
      <Modal
        opened={isAsking}
        onClose={close}
        title={`Erase ${userId}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Confirmation
          input={input}
          onClose={close}
          onStarted={({ jobId, tasksCount }) => {
            close();
            setUserId('');
            setSearch({ job: jobId, tasks: String(tasksCount) }, 'push');
          }}
        />
      </Modal>
      {job && (
        <ErasureProgress
          key={job}
          jobId={job}
          tasksCount={Number(tasks ?? 0)}
          onClose={() => setSearch({ job: undefined, tasks: undefined })}
        />
      )}
    </Section>
  );
}

interface ConfirmationProps {
  input: Erasure;
  onClose: () => void;
  onStarted: (started: { jobId: string; tasksCount: number }) => void;
}

/** Shows who is erased and how much of theirs there is, and takes the ID as confirmation. */
function Confirmation({ input, onClose, onStarted }: ConfirmationProps) {
  const { call: ask } = useKey();
  const [typed, setTyped] = useState('');
  const person = usePerson(input);
  const [userId] = input.userIds;
  const erasing = useMutation({
    mutationFn: () => ask('userData.delete', input),
    onSuccess: onStarted,
  });
  return (
    <Stack>
      <Loaded query={person}>
        {({ name, email, counts }) => (
          <>
            <Facts facts={{ Name: name ?? userId, Email: email ?? undefined, ...counts }} />
            <Text size="sm">
              Roles, inbox, reactions, recordings and presence are erased
              {input.organizationIds ? ` in ${input.organizationIds.join(', ')}` : ' everywhere'}.
              {input.contents === 'keep'
                ? ' Comments stay, without the author.'
                : ' Comments are deleted too.'}{' '}
              This cannot be undone.
            </Text>
            <TextInput
              label={`Type ${userId} to confirm`}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          </>
        )}
      </Loaded>
      {erasing.error && <Failure error={erasing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red"
          disabled={!person.data || typed !== userId}
          loading={erasing.isPending}
          onClick={() => erasing.mutate()}
        >
          Erase
        </Button>
      </Group>
    </Stack>
  );
}

/** More organizations than these are not counted through. */
const MAX_COUNTED = 10;

/** The person, with the number of things of each kind. @throws NOT_FOUND */
function usePerson({ userIds: [userId], organizationIds }: Erasure) {
  const { apiKey } = useKey();
  return useQuery({
    queryKey: ['erasure of', apiKey, userId, organizationIds],
    queryFn: async ({ signal }) => {
      const found = await call(apiKey, 'console.directory.user', { userId }, signal);
      const { name, email, grants, groups } = found;
      const all = [...grants, ...groups].map((each) => each.organizationId);
      const within = organizationIds ?? [...new Set(all)].slice(0, MAX_COUNTED);
      const pages = await Promise.all(
        within.map((organizationId) =>
          call(apiKey, 'userData.get', { organizationId, userId }, signal),
        ),
      );
      const isMore = pages.some((page) => page.nextPageToken) || all.length > MAX_COUNTED;
      const count = (kind: keyof (typeof pages)[number]['data']) => {
        const sum = pages.reduce((total, { data }) => total + data[kind].length, 0);
        return `${sum.toLocaleString('en')}${isMore ? ' or more' : ''}`;
      };
      const counts = {
        Roles: grants.length,
        Comments: count('comments'),
        Reactions: count('reactions'),
        Notifications: count('notifications'),
        Recordings: count('recordings'),
      };
      return { name, email, counts };
    },
    gcTime: 0,
  });
}
