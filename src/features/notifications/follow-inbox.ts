import type { StreamContext } from '../../api/context.ts';
import { follow } from '../../api/follow.ts';
import type { LiveEvent } from '../../platform/live-bus/topic.ts';
import { inboxChecks } from '../access/live-access.ts';
import { requireOwnUserId } from '../access/own-user.ts';
import { presentEvent } from '../events/get-events.ts';
import { presentNotifications } from './present-notification.ts';
import type {
  NotificationChange,
  NotificationChangesInput,
  PresentedNotification,
} from './schema.ts';
import { type Inbox, readInbox } from './select-notifications.ts';

/** Follows the notifications that arrive in an inbox and that its user may see at that moment. */
export async function followInbox(
  ctx: StreamContext,
  { lastEventId, ...input }: NotificationChangesInput,
) {
  const { organizationId } = input;
  const userId = requireOwnUserId(ctx, input);
  const inbox = { organizationId, userId };
  return follow<NotificationChange>(ctx, {
    topic: {
      tenantId: ctx.tenantId,
      organizationId,
      documentId: undefined,
      types: ['notification.add'],
    },
    userId,
    lastEventId,
    ...inboxChecks(ctx, inbox),
    present: ({ events }) => presentNewNotifications(ctx, inbox, events),
  });
}

/** Presents new notifications as lists of the inbox do, so that streams and lists show the same ones. */
async function presentNewNotifications(
  ctx: StreamContext,
  inbox: Inbox,
  events: LiveEvent[],
): Promise<Array<NotificationChange | undefined>> {
  const notificationOf = ({ data }: LiveEvent) => data as PresentedNotification;
  const own = events
    .map(notificationOf)
    .filter(({ notifyUsers }) => Object.hasOwn(notifyUsers, inbox.userId));
  if (own.length === 0) return events.map(() => undefined);
  const notificationIds = [...new Set(own.map(({ id }) => id))];
  const page = { after: undefined, pageSize: notificationIds.length };
  const { rows } = await readInbox(ctx, { ...inbox, notificationIds, order: 'asc' }, page);
  const visible = await presentNotifications(ctx, rows);
  const byId = new Map(visible.map((notification) => [notification.id, notification]));
  return events.map((event) => {
    const data = byId.get(notificationOf(event).id);
    return data && { ...presentEvent(event), type: 'notification.add', data };
  });
}
