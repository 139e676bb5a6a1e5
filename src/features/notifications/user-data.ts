import type { UserDataSource } from '../../api/user-data-source.ts';
import { presentNotifications } from './present-notification.ts';
import type { PresentedNotification } from './schema.ts';
import { readInbox } from './select-notifications.ts';

/**
 * The notifications in a user's inbox, oldest first (specification 4.16). API keys also get those
 * that the user may not see now.
 */
export const notificationsOfUser: UserDataSource<PresentedNotification> = {
  async read(ctx, inbox, after, pageSize) {
    const withHidden = ctx.userId === undefined;
    const query = { ...inbox, order: 'asc' as const };
    const { rows, next } = await readInbox(ctx, query, { after, pageSize }, { withHidden });
    return { items: await presentNotifications(ctx, rows), next };
  },
};
