import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type InputOf } from '../../api/client.ts';
import { usePageKey } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Facts, Loaded, Note } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { Fields, FormButton, type Values } from '../../parts/form.tsx';
import { Section } from '../../parts/panel.tsx';
import { ErasureProgress } from './erasure-progress.tsx';

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
          button={{ size: 'sm', variant: 'filled', color: 'red', disabled: userId === '' }}
          title={`Erase ${userId}?`}
          submitLabel="Erase"
          intro={() => (
            <Loaded query={person}>
              {({ name, email, counts }) => (
                <>
                  <Facts facts={{ Name: name ?? userId, Email: email ?? undefined, ...counts }} />
                  <Text size="sm">{consequencesOf(input)}</Text>
                </>
              )}
            </Loaded>
          )}
          fields={[{ name: 'typed', label: `Type ${userId} to confirm` }]}
          isReady={({ typed }: { typed: string }) => person.isSuccess && typed === userId}
          submit={(callForKey) => callForKey('userData.delete', input)}
          onDone={(_, { jobId }) => {
            setValues(NOBODY);
            changeSearch({ user: undefined, job: jobId }, 'push');
          }}
        >
          Erase…
        </FormButton>
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
      const user = await call(apiKey, 'console.directory.user', { userId }, signal);
      const { name, email, grants, groups } = user;
      const isErased = (each: { organizationId: string }) =>
        organizationIds?.includes(each.organizationId) ?? true;
      const roles = grants.filter(isErased);
      const ownIds = [...roles, ...groups.filter(isErased)].map((each) => each.organizationId);
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
      return { name, email, counts };
    },
    enabled: userId !== '',
    gcTime: 0,
  });
}
