import type { ReactNode } from 'react';
import type { Notification } from '../../../api/contract.ts';
import { organizationOf } from '../../scope.ts';
import { useClient, useScope } from '../collaboration.tsx';
import { type InboxOptions, useInbox, useUnreadCount } from '../live-hooks.ts';
import { useMarkRead } from '../write-hooks.ts';
import {
  CustomizationProvider,
  type CustomProps,
  type NotificationViewProps,
  useCustomization,
  useLabels,
  useParts,
} from './parts.ts';
import { Ago, ConnectionNotice, DefaultAvatar, MoreButton } from './small-parts.tsx';

/** The most notifications that one call reads or marks. */
const PAGE_SIZE = 1000;

export interface InboxProps extends InboxOptions, CustomProps {
  /** Called when the user opens a notification. Show the notification's thread then. */
  onOpen?: ((notification: Notification) => void) | undefined;
}

/** The user's notifications. */
export function Inbox({ components, labels, ...props }: InboxProps): ReactNode {
  return (
    <CustomizationProvider value={useCustomization({ components, labels })}>
      <NotificationList {...props} />
    </CustomizationProvider>
  );
}

function NotificationList({ onOpen, ...options }: InboxProps): ReactNode {
  const labels = useLabels();
  const { Notification: Item = NotificationView } = useParts();
  const { documentId } = options;
  const list = useInbox(options);
  const { notifications, isLoading, error } = list;
  const { total, byDocumentId } = useUnreadCount(options);
  const unreadCount = documentId ? (byDocumentId[documentId] ?? 0) : total;
  const { mutate: markRead, mutateAsync: markReadAsync } = useMarkRead(options);
  const client = useClient();
  const { organizationId } = organizationOf(useScope(), options);
  /** Marks the shown notifications as read at once, and then those on further pages. */
  const readAll = async () => {
    const shownIds = unreadIdsIn(notifications).slice(0, PAGE_SIZE);
    if (shownIds.length > 0) await markReadAsync({ notificationIds: shownIds });
    const input = { organizationId, documentId, pageSize: PAGE_SIZE };
    for await (const { data } of client.notifications.pages(input)) {
      const notificationIds = unreadIdsIn(data);
      if (notificationIds.length > 0) await markReadAsync({ notificationIds });
    }
  };
  return (
    <section className="collab collab-inbox" aria-label={labels.inbox} tabIndex={-1}>
      <header>
        <strong>{labels.inbox}</strong>{' '}
        <span className="collab-time" role="status">
          {unreadCount} {labels.unread}
        </span>
        <button
          type="button"
          className="collab-quiet"
          // A disabled button would lose the focus.
          aria-disabled={unreadCount === 0}
          onClick={() => unreadCount > 0 && void readAll().catch(() => {})}
        >
          {labels.readAll}
        </button>
      </header>
      <ConnectionNotice error={error} />
      {isLoading && <p>{labels.loading}</p>}
      {!isLoading && !error && notifications.length === 0 && (
        <p className="collab-time">{labels.noNotifications}</p>
      )}
      <ol>
        {notifications.map((notification) => (
          <li key={notification.id}>
            <Item
              notification={notification}
              open={() => {
                if (!notification.isRead) markRead({ notificationIds: [notification.id] });
                onOpen?.(notification);
              }}
            />
          </li>
        ))}
      </ol>
      <MoreButton {...list} />
    </section>
  );
}

const unreadIdsIn = (notifications: Notification[]): string[] =>
  notifications.filter(({ isRead }) => !isRead).map(({ id }) => id);

/** A notification as a button that opens it. */
function NotificationView({ notification, open }: NotificationViewProps): ReactNode {
  const { unread } = useLabels();
  const { Avatar = DefaultAvatar } = useParts();
  const { actionUser, displayHeadlineMessage, displayBodyMessage, timestamp, isRead } =
    notification;
  return (
    <button type="button" className="collab-notification" data-read={isRead} onClick={open}>
      <Avatar user={actionUser} />
      <span className="collab-main">
        <span>{displayHeadlineMessage}</span> <Ago at={timestamp} />
        {!isRead && <span className="collab-hidden"> ({unread})</span>}
        <span className="collab-text">{displayBodyMessage}</span>
      </span>
    </button>
  );
}
