import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { Notification, NotificationPreference } from '../../../../client/index.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Empty, Facts, Json, Loaded, nameOf, Time } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { Filters } from '../../parts/filters.tsx';
import { FormButton } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { onWide, PagedRows } from '../../parts/rows.tsx';

/** The inbox and the preferences of one user. */
export function NotificationsTab() {
  const [{ organizationId, user }] = usePageSearch();
  return (
    <Stack gap="md">
      <Filters
        filters={[
          { name: 'organizationId', label: 'Organization', kind: 'organization', required: true },
          { name: 'user', label: 'User', kind: 'user', required: true },
        ]}
      />
      {organizationId && user ? (
        <Inbox key={`${organizationId} ${user}`} organizationId={organizationId} userId={user} />
      ) : (
        <Empty title="Choose an inbox">
          Choose an organization and a user. To find out why a user was or was not notified, open
          the thread.
        </Empty>
      )}
    </Stack>
  );
}

/** Names an inbox: every user has one in each organization. */
type InboxOwner = { organizationId: string; userId: string };

function Inbox(owner: InboxOwner) {
  const { data: unread } = useRead('notifications.unreadCount', owner, { refetchInterval: 15_000 });
  return (
    <Stack gap="md">
      <Preferences owner={owner} />
      <Text role="status">{unread && `${unread.total.toLocaleString('en')} unread`}</Text>
      <PagedRows
        list={usePages('notifications.get', { ...owner, pageSize: 100 })}
        label="Notifications"
        keyOf={(row) => row.id}
        columns={[
          { head: 'Headline', cell: (row) => row.displayHeadlineMessage },
          { head: 'Text', cell: (row) => row.displayBodyMessage, wideOnly: true },
          { head: 'By', cell: (row) => nameOf(row.actionUser), ...onWide('9rem') },
          {
            head: 'Status',
            width: '6rem',
            cell: ({ isRead }) => (
              <Badge color={isRead ? 'gray' : 'indigo'}>{isRead ? 'read' : 'unread'}</Badge>
            ),
          },
          { head: 'When', width: '7rem', cell: (row) => <Time at={row.timestamp} /> },
        ]}
        panel={{
          parameter: 'notification',
          title: 'Notification',
          show: (found, close) => <Details owner={owner} notification={found} onDeleted={close} />,
        }}
        emptyTitle="Inbox is empty"
        emptyText="Open a thread to see who was notified of it, and why."
      />
    </Stack>
  );
}

type Levels = NotificationPreference['config'];

const LEVELS = {
  ALL: 'All activity in their threads',
  MINE: 'Mentions, assignments and their own threads',
  NONE: 'Nothing',
};

function Preferences({ owner }: { owner: InboxOwner }) {
  const preferences = useRead('notifications.config.get', owner, {
    select: ([first]) => first ?? null,
  });
  const field = (name: string, label: string, initial: string): Field => {
    return { name, label, options: LEVELS, initial, required: true };
  };
  return (
    <Loaded query={preferences} noun="User" lines={1}>
      {({ config: { inbox, email } }) => (
        <Group>
          <Text>
            Inbox: {LEVELS[inbox]}. Email: {LEVELS[email]}.
          </Text>
          <FormButton
            label="Edit preferences"
            fields={[field('inbox', 'Inbox', inbox), field('email', 'Email', email)]}
            submit={(call, config: Levels) =>
              call('notifications.config.set', { ...owner, config })
            }
            notice="Preferences saved."
          />
        </Group>
      )}
    </Loaded>
  );
}

type DetailsProps = { owner: InboxOwner; notification: Notification; onDeleted: () => void };

function Details({ owner, notification, onDeleted }: DetailsProps) {
  const { id, displayHeadlineMessage, displayBodyMessage, isRead, metadata } = notification;
  const { annotationId } = notification.notificationSourceData;
  const { organizationId, userId } = owner;
  return (
    <>
      <Title size="h4">{displayHeadlineMessage}</Title>
      <Text size="md" className="console-text">
        {displayBodyMessage}
      </Text>
      <Facts
        facts={{
          ID: <CopyText text={id} />,
          By: nameOf(notification.actionUser),
          When: <Time at={notification.timestamp} />,
          Status: isRead ? 'read' : 'unread',
          Document: metadata.documentId,
          Source: notification.notificationSource,
          Recipients: Object.keys(notification.notifyUsersByUserId).length,
          Thread:
            typeof annotationId === 'string' ? (
              <PageLink
                page="feedback"
                search={{ annotation: annotationId, why: userId }}
                text="Open the thread, and see why this was sent"
              />
            ) : undefined,
        }}
      />
      <Group gap="xs">
        <ActionButton
          label={isRead ? 'Mark as unread' : 'Mark as read'}
          run={(call) =>
            call('notifications.update', { ...owner, notificationIds: [id], isRead: !isRead })
          }
        />
        <ActionButton
          label="Delete from every inbox"
          run={(call) => call('notifications.delete', { organizationId, notificationIds: [id] })}
          notice="Notification deleted."
          onDone={onDeleted}
          question="Delete this notification?"
          consequences={`This deletes ${id} from every inbox, not only from the inbox of ${userId}. This cannot be undone.`}
          confirmLabel="Delete"
        />
      </Group>
      <Json value={notification} label="Notification as JSON" />
    </>
  );
}
