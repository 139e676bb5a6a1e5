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
  { name: 'userId', label: 'Person to erase', kind: 'user' },
  {
    name: 'organizationIds',
    label: 'Only in these organizations',
    description: 'Organization IDs. Leave empty to erase the person everywhere in this key.',
    kind: 'list',
  },
  {
    name: 'contents',
    label: 'Content written by the person',
    options: {
      keep: 'Keep the content, with a deleted user as the author',
      remove: 'Delete the content, including copies',
    },
    required: true,
  },
];
const NOBODY = { userId: '', organizationIds: [], contents: 'keep' };

type Erasure = InputOf<'userData.delete'> & { userIds: [string] };

/** Erases a person. The address names the job, so that its progress can be opened again later. */
export function ErasePeople() {
  const [{ user = '', job }, changeSearch] = usePageSearch();
  const [values, setValues] = useState<Values>({ ...NOBODY, userId: user });
  const userId = String(values.userId);
  const organizationIds = values.organizationIds as string[];
  const input: Erasure = {
    userIds: [userId],
    contents: values.contents === 'remove' ? 'remove' : 'keep',
    organizationIds: organizationIds.length > 0 ? organizationIds : undefined,
  };
  const person = usePersonData(input);
  return (
    <Section title="Erase a person">
      <Note>To export the data of a person first, open the person in the directory.</Note>
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
            <Loaded query={person}>
              {({ name, email, counts }) => (
                <>
                  <Facts facts={{ Name: name ?? userId, Email: email ?? undefined, ...counts }} />
                  <Text>{consequencesOf(input)}</Text>
                </>
              )}
            </Loaded>
          )}
          fields={{ name: 'typed', label: `Type ${userId} to confirm` }}
          isReady={({ typed }: { typed: string }) => person.isSuccess && typed === userId}
          submit={(callForKey) => callForKey('userData.delete', input)}
          onDone={(_, { jobId }) => {
            setValues(NOBODY);
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
    contents === 'keep' ? 'Comments stay, without the author.' : 'Comments are deleted too.',
    'This cannot be undone.',
  ].join(' ');

/** The number of organizations in which the data of a person is counted. */
const MAX_COUNTED = 10;

/** The person, with the number of things of each kind. The query fails with NOT_FOUND for an unknown id. */
function usePersonData({ userIds: [userId], organizationIds }: Erasure) {
  const { apiKey } = usePageKey();
  return useQuery({
    queryKey: ['erasure of', apiKey, userId, organizationIds],
    queryFn: async ({ signal }) => {
      const person = await call(apiKey, 'console.directory.user', { userId }, signal);
      const isErased = (each: { organizationId: string }) =>
        organizationIds?.includes(each.organizationId) ?? true;
      const roles = person.grants.filter(isErased);
      const ownIds = [...roles, ...person.groups.filter(isErased)].map((one) => one.organizationId);
      const affected = new Set(organizationIds ?? ownIds);
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
      return { ...person, counts };
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

/** The kinds whose names are not words themselves, such as `commentAnnotations`. */
const WORDS: Record<string, string> = {
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
    .map(([kind, count]) => [WORDS[kind] ?? inWords(kind), count.toLocaleString('en')]);
  const save = () => {
    const text = JSON.stringify({ jobId, ...status }, null, 2);
    saveFile(`erasure-${jobId}.json`, [text], 'application/json');
  };
  return (
    <Stack gap="sm">
      <Text role="status">
        Done {lastTaskCompletedTime && <Time at={lastTaskCompletedTime} />}. Deleted or anonymized:
      </Text>
      {counts.length === 0 ? (
        <Text>There was nothing to erase.</Text>
      ) : (
        <Facts facts={Object.fromEntries(counts)} />
      )}
      <Group>
        <Button size="compact-sm" variant="default" onClick={save}>
          Download receipt
        </Button>
      </Group>
    </Stack>
  );
}
