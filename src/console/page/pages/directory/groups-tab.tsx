import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { useOpened } from './opened.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

export function GroupsTab({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const renew = useRenew();
  const [opened] = useOpened();
  const [isAdding, setAdding] = useState(false);
  const list = usePages(['directory', apiKey, 'groups', organizationId], (page, options) =>
    client.userGroups.get({ organizationId, ...page }, options),
  );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          Members of a group are mentioned and subscribed together. Groups do not grant access.
        </Text>
        <ActButton
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAdding(true)}
        >
          Add group
        </ActButton>
      </Group>
      <PagedRows
        list={list}
        label="Groups"
        keyOf={(row) => row.groupId}
        columns={[
          { head: 'Name', cell: (row) => row.groupName },
          { head: 'ID', cell: (row) => <span className="console-mono">{row.groupId}</span> },
          { head: 'Members', cell: (row) => row.memberCount.toLocaleString('en'), width: '7rem' },
        ]}
        opens={(row) => ({ open: `group:${row.groupId}` })}
        isOpen={(row) => opened?.kind === 'group' && opened.id === row.groupId}
        empty={
          <Empty title="No groups yet">
            Add one here, or from your server with userGroups.add.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add group"
          act="Add"
          fields={[
            { name: 'groupId', label: 'ID', about: 'Your ID for it.', required: true },
            { name: 'groupName', label: 'Name', about: 'Defaults to the ID.' },
          ]}
          submit={async ({ groupId = '', groupName }) =>
            requireDone(
              await client.userGroups.add({
                organizationId,
                organizationUserGroups: [{ groupId, ...(groupName && { groupName }) }],
              }),
            )
          }
          onDone={({ groupId }) => {
            setAdding(false);
            renew(`Group ${groupId} added.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
