import { subscriptionOperation } from '../../../api/procedures.ts';
import { followInbox } from './follow-inbox.ts';
import { NotificationChanges, notificationChange } from './schema.ts';

export const notificationChanges = subscriptionOperation({
  summary: 'Follow an inbox',
  description:
    'Each notification that comes into the inbox of a user in an organization, if the user may see it then.',
  item: notificationChange,
})
  .input(NotificationChanges)
  .subscription(({ ctx, input }) => followInbox(ctx, input));
