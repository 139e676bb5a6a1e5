import { Stack, Text, Title } from '@mantine/core';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';

/** Those with a role on a place itself: whom one may ask about, before a user is chosen. */
export function RoleHolders({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const [{ document, folder }] = usePageSearch();
  const place = {
    organizationId,
    ...(document && { documentId: document }),
    ...(folder && !document && { folderId: folder }),
  };
  const list = usePages(['access', apiKey, 'users', place], (page, options) =>
    client.users.get({ ...place, ...page }, options),
  );
  const what = document ?? folder ?? organizationId;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Choose a user
      </Title>
      <Text size="sm" c="dimmed">
        Users with a role on {what} itself. Others may have inherited access.
      </Text>
      <PagedRows
        list={list}
        label={`Users with a role on ${what}`}
        keyOf={(row) => row.userId}
        columns={[
          { head: 'Name', cell: (row) => row.name ?? row.userId },
          { head: 'ID', cell: (row) => <span className="console-mono">{row.userId}</span> },
          { head: 'Role here', cell: (row) => row.accessRole ?? '–', width: '7rem' },
        ]}
        opens={(row) => ({ user: row.userId })}
        empty={
          <Empty title={`Nobody has a role on ${what} itself`}>
            Choose any user above: access can also come from a parent folder or the organization.
          </Empty>
        }
      />
    </Stack>
  );
}
