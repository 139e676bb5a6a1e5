import { Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { DocumentsTab } from './documents-tab.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { OrganizationMenu } from './organization-menu.tsx';
import { UsersTab } from './users-tab.tsx';

export function OrganizationView({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const input = { organizationIds: [organizationId] };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'organization', organizationId],
    queryFn: ({ signal }) => client.organizations.get(input, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ data: [organization] }) =>
        organization ? (
          <>
            <Group justify="space-between">
              <Title order={2} size="h3">
                {organization.organizationName}
              </Title>
              <OrganizationMenu organization={organization} />
            </Group>
            <PageTabs
              tabs={[
                {
                  value: 'documents',
                  label: 'Documents',
                  content: <DocumentsTab organizationId={organizationId} />,
                },
                {
                  value: 'users',
                  label: 'Users',
                  content: <UsersTab organizationId={organizationId} />,
                },
                {
                  value: 'groups',
                  label: 'Groups',
                  content: <GroupsTab organizationId={organizationId} />,
                },
              ]}
            />
          </>
        ) : (
          <Empty title={`Organization ${organizationId} not found`}>
            It was deleted, or it belongs to another API key.
          </Empty>
        )
      }
    </Loaded>
  );
}
