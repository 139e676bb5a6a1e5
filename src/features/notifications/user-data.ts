import type { KeyContext } from '../../api/context.ts';
import type { UserDataQuery, UserDataSource } from '../../api/user-data-source.ts';
import { fromKey, type Position, toKey } from './position.ts';
import { presentNotifications } from './present-notification.ts';
import { readInbox } from './read-inbox.ts';
import type { PresentedNotification } from './schema.ts';
import { type NotificationQuery, selectInbox } from './select-notifications.ts';

/** The notifications that a user got, oldest first (4.16). */
export const notificationsOfUser: UserDataSource<PresentedNotification> = {
  async read(ctx, query, after, pageSize) {
    const page = { after: fromKey(after), pageSize };
    const inbox = inboxOf(ctx, query);
    const { rows, next } = await (ctx.userId === undefined
      ? readEverything(ctx, inbox, page)
      : readInbox(ctx, inbox, page));
    return {
      items: await presentNotifications(ctx, rows),
      next: next && toKey(next),
    };
  },
};

type Inbox = NotificationQuery & { userId: string };

const inboxOf = ({ tenantId }: KeyContext, { organizationId, userId }: UserDataQuery): Inbox => ({
  tenantId,
  organizationId,
  userId,
  documentId: undefined,
  locationId: undefined,
  notificationIds: undefined,
  order: 'asc',
});

/** API keys also get notifications that the user may not see (any more). */
async function readEverything(
  ctx: KeyContext,
  inbox: Inbox,
  { after, pageSize }: { after: Position | undefined; pageSize: number },
) {
  const found = await selectInbox(ctx, inbox, { after, limit: pageSize + 1 });
  const rows = found.slice(0, pageSize);
  return { rows, next: found.length > pageSize ? rows.at(-1) : undefined };
}
