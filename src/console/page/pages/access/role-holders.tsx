import { Stack, Text, Title } from '@mantine/core';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';

/** Those with a role on a place itself: whom one may ask about, before a user is chosen. */
export function RoleHolders({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const [{ document, folder }, change] = usePageSearch();
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
        Whose access?
      </Title>
      <Text size="sm" c="dimmed">
        These have a role on {what} itself. Others may have one above it, or need none: choose a
        user to see.
      </Text>
      <PagedRows
        list={list}
        label={`Users with a role on ${what}`}
        keyOf={(row) => row.userId}
        columns={[
          { head: 'Name', cell: (row) => row.name ?? row.userId },
          { head: 'Id', cell: (row) => <span className="console-mono">{row.userId}</span> },
          { head: 'Role here', cell: (row) => row.accessRole ?? 'none', width: '7rem' },
        ]}
        onOpen={(row) => change({ user: row.userId }, 'push')}
        empty={
          <Empty title={`Nobody has a role on ${what} itself`}>
            Choose a user above: roles on a folder above it or on the organization may count, and
            what is public needs none.
          </Empty>
        }
      />
    </Stack>
  );
}
