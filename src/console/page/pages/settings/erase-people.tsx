import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeletionStatus } from '../../../../api/contract.ts';
import { call, type InputOf } from '../../api/client.ts';
import { usePageKey, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { CopyText, Facts, inWords, Loaded, Note, Time } from '../../parts/basics.tsx';
import { saveFile } from '../../parts/downloads.ts';
import type { Field } from '../../parts/fields.tsx';
import { Fields, FormButton, type Values } from '../../parts/form.tsx';
import { Section } from '../../parts/panel.tsx';

const FIELDS: Field[] = [
  { name: 'userId', label: 'User to erase', kind: 'user' },
  {
    name: 'organizationIds',
    label: 'Only in these organizations',
    description:
      'Organization IDs. Leave empty to erase the user in all organizations of this API key.',
    kind: 'list',
  },
  {
    name: 'contents',
    label: 'Content written by the user',
    options: {
      keep: 'Keep the content, and show a deleted user as its author',
      remove: 'Delete the content, including its copies',
    },
    required: true,
  },
];
const EMPTY_VALUES = { userId: '', organizationIds: [], contents: 'keep' };

type Erasure = InputOf<'userData.delete'> & { userIds: [string] };

/** Erases a user. The address names the job, so that its progress can be opened again later. */
export function ErasePeople() {
  const [{ user = '', job }, changeSearch] = usePageSearch();
  const [values, setValues] = useState<Values>({ ...EMPTY_VALUES, userId: user });
  const userId = String(values.userId);
  const organizationIds = values.organizationIds as string[];
  const input: Erasure = {
    userIds: [userId],
    contents: values.contents === 'remove' ? 'remove' : 'keep',
    organizationIds: organizationIds.length > 0 ? organizationIds : undefined,
  };
  const userData = useUserData(input);
  return (
    <Section title="Erase a user">
      <Note>To export the user's data first, open the user in the directory.</Note>
      <Fields
        fields={FIELDS}
        values={values}
        onChange={(changes) => setValues({ ...values, ...changes })}
        error={null}
      />
      <div>
        <FormButton
          label="Erase…"
          button={{ size: 'sm', variant: 'filled', color: 'red', disabled: userId === '' }}
          title={`Erase ${userId}?`}
          submitLabel="Erase"
          intro={() => (
            <Loaded query={userData}>
              {({ name, email, counts }) => (
                <>
                  <Facts facts={{ Name: name ?? userId, Email: email ?? undefined, ...counts }} />
                  <Text>{consequencesOf(input)}</Text>
                </>
              )}
            </Loaded>
          )}
          fields={{ name: 'typed', label: `Type ${userId} to confirm` }}
          isReady={({ typed }: { typed: string }) => userData.isSuccess && typed === userId}
          submit={(callForKey) => callForKey('userData.delete', input)}
          onDone={(_, { jobId }) => {
            setValues(EMPTY_VALUES);
            changeSearch({ user: undefined, job: jobId }, 'push');
          }}
        />
      </div>
      {job && (
        <ErasureProgress key={job} jobId={job} onClose={() => changeSearch({ job: undefined })} />
      )}
    </Section>
  );
}

const consequencesOf = ({ organizationIds, contents }: Erasure): string =>
  [
    `Roles, inbox, reactions, recordings and presence are erased ${organizationIds ? `in ${organizationIds.join(', ')}` : 'everywhere'}.`,
    contents === 'keep'
      ? 'Comments stay, with a deleted user as their author.'
      : 'Comments are deleted too.',
    'This cannot be undone.',
  ].join(' ');

/** The data of a user are counted in at most this many organizations. */
const MAX_COUNTED = 10;

/** Reads a user, and counts the data to erase of each kind. The query fails with NOT_FOUND for an unknown id. */
function useUserData({ userIds: [userId], organizationIds }: Erasure) {
  const { apiKey } = usePageKey();
  return useQuery({
    queryKey: ['data to erase', apiKey, userId, organizationIds],
    queryFn: async ({ signal }) => {
      const user = await call(apiKey, 'console.directory.user', { userId }, signal);
      const isInScope = (each: { organizationId: string }) =>
        organizationIds?.includes(each.organizationId) ?? true;
      const roles = user.grants.filter(isInScope);
      const places = [...roles, ...user.groups.filter(isInScope)];
      const affected = new Set(organizationIds ?? places.map((place) => place.organizationId));
      const counted = [...affected].slice(0, MAX_COUNTED);
      const pages = await Promise.all(
        counted.map((organizationId) =>
          call(apiKey, 'userData.get', { organizationId, userId }, signal),
        ),
      );
      const hasMore = pages.some((page) => page.nextPageToken) || affected.size > MAX_COUNTED;
      const count = (kind: keyof (typeof pages)[number]['data']) => {
        const sum = pages.reduce((total, { data }) => total + data[kind].length, 0);
        return `${sum.toLocaleString('en')}${hasMore ? ' or more' : ''}`;
      };
      const counts = {
        Roles: roles.length,
        Comments: count('comments'),
        Reactions: count('reactions'),
        Notifications: count('notifications'),
        Recordings: count('recordings'),
      };
      return { ...user, counts };
    },
    enabled: userId !== '',
    gcTime: 0,
  });
}

const POLL_MS = 2_000;

/** The progress of an erasure and, at the end, its receipt. */
function ErasureProgress({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const status = useRead(
    'userData.deleteStatus',
    { jobId },
    { refetchInterval: ({ state }) => (state.data?.isDeleteCompleted ? false : POLL_MS) },
  );
  return (
    <Paper withBorder p="md" component="section" aria-label="Progress of the erasure">
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Text>Erasure</Text>
            <CopyText text={jobId} />
          </Group>
          <Button size="compact-xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
        <Loaded query={status} lines={2}>
          {(found) =>
            found.isDeleteCompleted ? (
              <Receipt jobId={jobId} status={found} />
            ) : (
              <Text role="status">
                Running, {found.tasksLeft} {found.tasksLeft === 1 ? 'task' : 'tasks'} left. You can
                leave this page and come back to it later.
              </Text>
            )
          }
        </Loaded>
      </Stack>
    </Paper>
  );
}

/** Labels for the kinds in a receipt whose names do not explain themselves, such as `commentAnnotations`. */
const RECEIPT_LABELS: Record<string, string> = {
  activityQuotes: 'Mentions in activity records',
  commentAnnotations: 'Threads',
  commentAnnotationsRemoved: 'Threads deleted',
  documentFields: 'Mentions in documents',
  editorClients: 'Editing sessions',
  editorUpdates: 'Edits',
  eventQuotes: 'Mentions in events',
  folderFields: 'Mentions in folders',
  grants: 'Roles',
  groupFields: 'Mentions in groups',
  inbox: 'Inbox entries',
  notificationQuotes: 'Mentions in notifications',
  notificationsOrphaned: 'Notifications without recipients',
  notificationsWritten: 'Notifications sent',
  organizationFields: 'Mentions in organizations',
  reactionFields: 'Mentions in reactions',
  recordingFields: 'Mentions in recordings',
  subscriptionFields: 'Mentions in subscriptions',
  userFields: 'Mentions in users',
};

function Receipt({ jobId, status }: { jobId: string; status: DeletionStatus }) {
  const { receipt = {}, lastTaskCompletedTime } = status;
  const counts = Object.entries(receipt)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => [RECEIPT_LABELS[kind] ?? inWords(kind), count.toLocaleString('en')]);
  const save = () => {
    const text = JSON.stringify({ jobId, ...status }, null, 2);
    saveFile(`erasure-${jobId}.json`, [text], 'application/json');
  };
  return (
    <Stack gap="sm">
      <Text role="status">
        Done {lastTaskCompletedTime && <Time at={lastTaskCompletedTime} />}.{' '}
        {counts.length === 0 ? 'There was nothing to erase.' : 'Deleted or anonymized:'}
      </Text>
      {counts.length > 0 && <Facts facts={Object.fromEntries(counts)} />}
      <Group>
        <Button size="compact-sm" variant="default" onClick={save}>
          Download receipt
        </Button>
      </Group>
    </Stack>
  );
}
