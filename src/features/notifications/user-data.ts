import type { UserDataSource } from '../../api/user-data-source.ts';
import { fromKey, pageFrom, toKey } from './position.ts';
import { presentNotifications } from './present-notification.ts';
import { readInbox } from './read-inbox.ts';
import type { PresentedNotification } from './schema.ts';
import { selectInbox } from './select-notifications.ts';

/**
 * The notifications that a user got, oldest first (4.16). API keys also get those that the user may
 * not see (any more).
 */
export const notificationsOfUser: UserDataSource<PresentedNotification> = {
  async read(ctx, { organizationId, userId }, position, pageSize) {
    const after = fromKey(position);
    const inbox = { tenantId: ctx.tenantId, organizationId, userId, order: 'asc' as const };
    const { rows, next } =
      ctx.userId === undefined
        ? pageFrom(await selectInbox(ctx, inbox, { after, limit: pageSize + 1 }), pageSize)
        : await readInbox(ctx, inbox, { after, pageSize });
    return { items: await presentNotifications(ctx, rows), next: next && toKey(next) };
  },
};
