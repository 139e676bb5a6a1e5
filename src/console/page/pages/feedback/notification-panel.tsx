import { Group, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Notification } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { done, failed } from '../../parts/notices.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './people.ts';
import type { Whose } from './whose.ts';

interface NotificationPanelProps {
  whose: Whose;
  found: Notification | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** One notification of an inbox. */
export function NotificationPanel({ whose, found, isOpen, onClose }: NotificationPanelProps) {
  return (
    <SidePanel title="Notification" isOpen={isOpen} onClose={onClose}>
      {found ? (
        <Details whose={whose} notification={found} onDeleted={onClose} />
      ) : (
        <Empty title="Notification not found">
          It may be older: scroll down the list to load more.
        </Empty>
      )}
    </SidePanel>
  );
}

interface DetailsProps {
  whose: Whose;
  notification: Notification;
  onDeleted: () => void;
}

function Details({ whose, notification, onDeleted }: DetailsProps) {
  const { id, displayHeadlineMessage, displayBodyMessage, isRead, metadata } = notification;
  const { annotationId } = notification.notificationSourceData;
  return (
    <>
      <Title order={2} size="h4">
        {displayHeadlineMessage}
      </Title>
      <Text className="feedback-text">{displayBodyMessage}</Text>
      <Facts
        facts={{
          ID: <CopyText text={id} />,
          By: nameOf(notification.actionUser),
          When: <Time at={notification.timestamp} />,
          State: isRead ? 'read' : 'unread',
          Document: metadata.documentId,
          Source: notification.notificationSource,
          Recipients: Object.keys(notification.notifyUsersByUserId).length,
          Thread:
            typeof annotationId === 'string' ? (
              <PageLink page="feedback" search={{ annotation: annotationId, why: whose.userId }}>
                Open, and see why it was sent
              </PageLink>
            ) : undefined,
        }}
      />
      <Acts whose={whose} notification={notification} onDeleted={onDeleted} />
      <Json value={notification} label="The notification as JSON" />
    </>
  );
}

function Acts({ whose, notification: { id, isRead }, onDeleted }: DetailsProps) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const renew = () => cache.invalidateQueries({ queryKey: ['feedback', apiKey] });
  const { organizationId } = whose;
  const marking = useMutation({
    mutationFn: () =>
      client.notifications.update({ ...whose, notificationIds: [id], isRead: !isRead }),
    onSuccess: renew,
    onError: failed,
  });
  const deleting = useMutation({
    mutationFn: () => client.notifications.delete({ organizationId, notificationIds: [id] }),
    onSuccess: () => {
      done('Notification deleted.');
      onDeleted();
      return renew();
    },
    onError: failed,
  });
  return (
    <Group gap="xs">
      <ActButton
        size="xs"
        variant="default"
        loading={marking.isPending}
        onClick={() => marking.mutate()}
      >
        Mark as {isRead ? 'unread' : 'read'}
      </ActButton>
      <ActButton
        size="xs"
        color="red"
        variant="light"
        loading={deleting.isPending}
        onClick={() =>
          confirmDestruction({
            title: 'Delete this notification?',
            what: `This deletes ${id} from every inbox, not only from that of ${whose.userId}. It cannot be undone.`,
            act: 'Delete',
            onConfirm: () => deleting.mutate(),
          })
        }
      >
        Delete from every inbox
      </ActButton>
    </Group>
  );
}
