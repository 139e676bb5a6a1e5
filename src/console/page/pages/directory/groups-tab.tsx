import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
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
  const [opened, open] = useOpened();
  const [isAdding, setAdding] = useState(false);
  const list = usePages(['directory', apiKey, 'groups', organizationId], (page, options) =>
    client.userGroups.get({ organizationId, ...page }, options),
  );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          Groups are mentioned and subscribed together. They open no documents.
        </Text>
        <Button
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAdding(true)}
        >
          Add a group
        </Button>
      </Group>
      <PagedRows
        list={list}
        label="Groups"
        keyOf={(row) => row.groupId}
        columns={[
          { head: 'Name', cell: (row) => row.groupName },
          { head: 'Id', cell: (row) => <span className="console-mono">{row.groupId}</span> },
          { head: 'Members', cell: (row) => row.memberCount.toLocaleString('en'), width: '7rem' },
        ]}
        onOpen={(row) => open({ kind: 'group', id: row.groupId })}
        isOpen={(row) => opened?.kind === 'group' && opened.id === row.groupId}
        empty={
          <Empty title="There are no groups yet">
            Add one here, or let your server do it: userGroups.add.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add a group"
          act="Add"
          fields={[
            { name: 'groupId', label: 'Id', about: 'Your own id of it.', required: true },
            { name: 'groupName', label: 'Name', about: 'The id, when there is none.' },
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
            renew(`The group ${groupId} was added.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
