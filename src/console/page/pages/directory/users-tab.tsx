import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { UserInput } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog, type FormField, type FormValues } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

const ROLES = [
  { value: 'viewer', label: 'Viewer: can read' },
  { value: 'editor', label: 'Editor: can read and write' },
];

/** The fields of a user in a form. */
export const userFields = (user: Partial<UserInput> = {}): FormField[] => [
  { name: 'name', label: 'Name', initial: user.name },
  { name: 'email', label: 'Email', initial: user.email },
  {
    name: 'accessRole',
    label: 'Role in the organization',
    about: 'Leave empty to keep the current role, or the default of the key.',
    options: ROLES,
    initial: user.accessRole,
  },
];

export const userOf = ({ userId = '', name, email, accessRole }: FormValues): UserInput => ({
  userId,
  ...(name && { name }),
  ...(email && { email }),
  ...(accessRole && { accessRole: accessRole as 'viewer' }),
});

/** The people who have a role on the organization itself. */
export function UsersTab({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const renew = useRenew();
  const [opened] = useOpened();
  const [isAdding, setAdding] = useState(false);
  const list = usePages(['directory', apiKey, 'users', organizationId], (page, options) =>
    client.users.get({ organizationId, ...page }, options),
  );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          Users with a role in this organization. Folders and documents list their own roles.
        </Text>
        <ActButton
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAdding(true)}
        >
          Add user
        </ActButton>
      </Group>
      <PagedRows
        list={list}
        label="Users"
        keyOf={(row) => row.userId}
        columns={[
          { head: 'Name', cell: (row) => row.name ?? row.userId },
          { head: 'Email', cell: (row) => row.email ?? '–', onPhones: false },
          { head: 'ID', cell: (row) => <span className="console-mono">{row.userId}</span> },
          { head: 'Role', cell: (row) => row.accessRole ?? '–', width: '6rem' },
        ]}
        opens={(row) => ({ open: `user:${row.userId}` })}
        isOpen={(row) => opened?.kind === 'user' && opened.id === row.userId}
        empty={
          <Empty title="No users yet">Add one here, or from your server with users.add.</Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title={`Add user to ${organizationId}`}
          act="Add"
          fields={[
            { name: 'userId', label: 'ID', about: 'Your ID for the person.', required: true },
            ...userFields(),
          ]}
          submit={async (values) =>
            requireDone(await client.users.add({ organizationId, users: [userOf(values)] }))
          }
          onDone={({ userId }) => {
            setAdding(false);
            renew(`User ${userId} added.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
