import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { UserInput } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog, type FormField, type FormValues } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

const ROLES = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'editor', label: 'Editor: reads and writes' },
];

/** The fields of a user in a form. */
export const userFields = (user: Partial<UserInput> = {}): FormField[] => [
  { name: 'name', label: 'Name', initial: user.name },
  { name: 'email', label: 'E-mail address', initial: user.email },
  {
    name: 'accessRole',
    label: 'Role in the organization',
    about: 'None: the role that the user has there, or else the default of the key.',
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
  const [opened, open] = useOpened();
  const [isAdding, setAdding] = useState(false);
  const list = usePages(['directory', apiKey, 'users', organizationId], (page, options) =>
    client.users.get({ organizationId, ...page }, options),
  );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          Those with a role on the organization. Roles on single folders and documents stand there.
        </Text>
        <Button
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAdding(true)}
        >
          Add a user
        </Button>
      </Group>
      <PagedRows
        list={list}
        label="Users"
        keyOf={(row) => row.userId}
        columns={[
          { head: 'Name', cell: (row) => row.name ?? row.userId },
          { head: 'E-mail address', cell: (row) => row.email ?? 'none', onPhones: false },
          { head: 'Id', cell: (row) => <span className="console-mono">{row.userId}</span> },
          { head: 'Role', cell: (row) => row.accessRole ?? 'none', width: '6rem' },
        ]}
        onOpen={(row) => open({ kind: 'user', id: row.userId })}
        isOpen={(row) => opened?.kind === 'user' && opened.id === row.userId}
        empty={
          <Empty title="Nobody has a role on this organization">
            Add a user here, or let your server do it: users.add.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title={`Add a user to ${organizationId}`}
          act="Add"
          fields={[
            { name: 'userId', label: 'Id', about: 'Your own id of the person.', required: true },
            ...userFields(),
          ]}
          submit={async (values) =>
            requireDone(await client.users.add({ organizationId, users: [userOf(values)] }))
          }
          onDone={({ userId }) => {
            setAdding(false);
            renew(`The user ${userId} was added.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
