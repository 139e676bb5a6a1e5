import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

export function OrganizationList() {
  const { apiKey, client } = useKey();
  const [, change] = usePageSearch();
  const renew = useRenew();
  const [isAdding, setAdding] = useState(false);
  const list = usePages(['directory', apiKey, 'organizations'], (page, options) =>
    client.organizations.get(page, options),
  );
  return (
    <>
      <Group justify="flex-end">
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
          Add an organization
        </Button>
      </Group>
      <PagedRows
        list={list}
        label="Organizations"
        keyOf={(row) => row.organizationId}
        columns={[
          { head: 'Name', cell: (row) => row.organizationName },
          { head: 'Id', cell: (row) => <span className="console-mono">{row.organizationId}</span> },
        ]}
        onOpen={(row) => change({ organization: row.organizationId }, 'push')}
        empty={
          <Empty title="There are no organizations yet">
            Add the first one here, or let your server do it: organizations.add. The playground
            makes one to play with.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add an organization"
          act="Add"
          fields={[
            {
              name: 'organizationId',
              label: 'Id',
              about: 'Your own id of the customer or team. It cannot be changed.',
              required: true,
            },
            { name: 'organizationName', label: 'Name', about: 'The id, when there is none.' },
          ]}
          submit={async ({ organizationId = '', organizationName }) =>
            requireDone(
              await client.organizations.add({
                organizations: [{ organizationId, ...(organizationName && { organizationName }) }],
              }),
            )
          }
          onDone={({ organizationId }) => {
            renew(`The organization ${organizationId} was added.`);
            change({ organization: organizationId }, 'push');
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
