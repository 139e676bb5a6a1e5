import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { Time } from '../../parts/time.tsx';
import { NotificationPanel } from './notification-panel.tsx';
import { nameOf } from './people.ts';
import { Preferences } from './preferences.tsx';
import type { Whose } from './whose.ts';

/** The inbox of one person, and the preferences of that person. */
export function NotificationsTab() {
  const [{ organizationId = '', user = '' }, change] = usePageSearch();
  return (
    <Stack gap="md">
      <div className="feedback-filters">
        <EntryPicker
          kind="organization"
          label="Organization"
          value={organizationId}
          onChange={(id) => change({ organizationId: id })}
          required
        />
        <EntryPicker
          kind="user"
          label="Person"
          organizationId={organizationId}
          value={user}
          onChange={(id) => change({ user: id })}
          required
        />
      </div>
      {organizationId && user ? (
        <Inbox key={`${organizationId} ${user}`} organizationId={organizationId} userId={user} />
      ) : (
        <Empty title="Choose an inbox">
          Choose an organization and a person. To find out why someone was or was not notified, open
          the thread.
        </Empty>
      )}
    </Stack>
  );
}

function Inbox(whose: Whose) {
  const { apiKey, client } = useKey();
  const [{ notification }, change] = usePageSearch();
  const list = usePages(['feedback', apiKey, 'inbox', whose], (page, options) =>
    client.notifications.get({ ...whose, pageSize: 100, ...page }, options),
  );
  return (
    <Stack gap="md">
      <Preferences whose={whose} />
      <Group gap="xs">
        <UnreadCount whose={whose} />
        <CopyCurl operation="notifications.get" input={whose} />
      </Group>
      <PagedRows
        list={list}
        label="Notifications"
        keyOf={(row) => row.id}
        columns={[
          { head: 'Headline', cell: (row) => row.displayHeadlineMessage },
          { head: 'Text', onPhones: false, cell: (row) => row.displayBodyMessage },
          { head: 'By', width: '9rem', onPhones: false, cell: (row) => nameOf(row.actionUser) },
          {
            head: 'Status',
            width: '6rem',
            cell: ({ isRead }) => (
              <Badge color={isRead ? 'gray' : 'indigo'} tt="none">
                {isRead ? 'read' : 'unread'}
              </Badge>
            ),
          },
          { head: 'When', width: '7rem', cell: (row) => <Time at={row.timestamp} /> },
        ]}
        opens={(row) => ({ notification: row.id })}
        isOpen={(row) => row.id === notification}
        empty={
          <Empty title="Inbox is empty">
            This person has not been mentioned, assigned or replied to. Open a thread to see why
            nobody was notified.
          </Empty>
        }
      />
      <NotificationPanel
        whose={whose}
        found={list.rows.find(({ id }) => id === notification)}
        isOpen={notification !== undefined && list.rows.length > 0}
        onClose={() => change({ notification: undefined })}
      />
    </Stack>
  );
}

function UnreadCount({ whose }: { whose: Whose }) {
  const { apiKey, client } = useKey();
  const { data } = useQuery({
    queryKey: ['feedback', apiKey, 'unread', whose],
    queryFn: ({ signal }) => client.notifications.unreadCount(whose, { signal }),
    refetchInterval: 15_000,
  });
  return (
    <Text size="sm" role="status">
      {data && `${data.total.toLocaleString('en')} unread`}
    </Text>
  );
}
