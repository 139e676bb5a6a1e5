import { Group } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
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
        <ActButton leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
          Add organization
        </ActButton>
      </Group>
      <PagedRows
        list={list}
        label="Organizations"
        keyOf={(row) => row.organizationId}
        columns={[
          { head: 'Name', cell: (row) => row.organizationName },
          { head: 'ID', cell: (row) => <span className="console-mono">{row.organizationId}</span> },
        ]}
        opens={(row) => ({ organization: row.organizationId })}
        empty={
          <Empty title="No organizations yet">
            Add one here, or from your server with organizations.add. The playground creates a demo
            organization.
          </Empty>
        }
      />
      {isAdding && (
        <FormDialog
          title="Add organization"
          act="Add"
          fields={[
            {
              name: 'organizationId',
              label: 'ID',
              about: 'Your ID for the customer or team. It cannot be changed later.',
              required: true,
            },
            { name: 'organizationName', label: 'Name', about: 'Defaults to the ID.' },
          ]}
          submit={async ({ organizationId = '', organizationName }) =>
            requireDone(
              await client.organizations.add({
                organizations: [{ organizationId, ...(organizationName && { organizationName }) }],
              }),
            )
          }
          onDone={({ organizationId }) => {
            renew(`Organization ${organizationId} added.`);
            change({ organization: organizationId }, 'push');
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}
