import { z } from 'zod';
import { id } from '../../../api/fields.ts';
import { lastEventId } from '../../../api/follow.ts';
import { presentedEvent } from '../../events/schema.ts';
import { presentedNotification } from '../schema.ts';

export const NotificationChanges = z.object({
  organizationId: id,
  userId: id.optional().meta({
    description: 'Whose inbox. Required of API keys; with a user token it is that user.',
  }),
  lastEventId,
});
export type NotificationChangesInput = z.infer<typeof NotificationChanges>;

/** A notification that came into the inbox, as a list of it shows it. */
export const notificationChange = presentedEvent.extend({
  type: z.literal('notification.add'),
  data: presentedNotification,
});
export type NotificationChange = z.infer<typeof notificationChange>;
