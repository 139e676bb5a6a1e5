import { Group, Tabs, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { DocumentsTab } from './documents-tab.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { OrganizationMenu } from './organization-menu.tsx';
import { UsersTab } from './users-tab.tsx';

const TABS = [
  { tab: 'documents', label: 'Folders and documents', Content: DocumentsTab },
  { tab: 'users', label: 'Users', Content: UsersTab },
  { tab: 'groups', label: 'Groups', Content: GroupsTab },
];

export function OrganizationView({ organizationId }: { organizationId: string }) {
  const { apiKey, client } = useKey();
  const [{ tab = 'documents' }, change] = usePageSearch();
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
            <Tabs
              value={tab}
              onChange={(next) =>
                change({ tab: next === 'documents' ? undefined : (next ?? undefined) }, 'push')
              }
              keepMounted={false}
            >
              <Tabs.List mb="md">
                {TABS.map(({ tab: value, label }) => (
                  <Tabs.Tab value={value} key={value}>
                    {label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {TABS.map(({ tab: value, Content }) => (
                <Tabs.Panel value={value} key={value}>
                  <Content organizationId={organizationId} />
                </Tabs.Panel>
              ))}
            </Tabs>
          </>
        ) : (
          <Empty title={`There is no organization “${organizationId}”`}>
            It may have been deleted, or belong to another API key.
          </Empty>
        )
      }
    </Loaded>
  );
}
