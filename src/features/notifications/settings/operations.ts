import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getNotificationConfig, updateNotificationConfig } from './notification-config.ts';
import { notificationConfig, UpdateNotificationConfig } from './schema.ts';

const response = {
  useNotificationService: true,
  triggers: { comment: { added: true } },
  delay: { isEnabled: true, delaySeconds: 60 },
  batching: { isEnabled: false, windowSeconds: 300, maxNotifications: 10 },
};

export const notificationConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/notificationconfig/get',
    summary: 'Get the notification configuration',
    description:
      'Whether users are notified, the triggers, the delay, and the batching of notifications.',
    message: 'Notification config retrieved successfully.',
    example: { request: {}, response },
  })
    .input(noInput)
    .output(notificationConfig)
    .query(({ ctx }) => getNotificationConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/workspace/notificationconfig/update',
    summary: 'Update the notification configuration',
    description:
      'Changes the given fields and triggers; at least one must be given. A delay lasts from 10 seconds to 180 days. A batch is closed when its window (10 seconds to 7 days) is over, or when it holds its maximum (2 to 50 notifications).',
    message: 'Notification config updated successfully.',
    example: {
      request: {
        useNotificationService: true,
        triggers: { comment: { added: true } },
        delay: { isEnabled: true, delaySeconds: 60 },
      },
      response,
    },
  })
    .input(UpdateNotificationConfig)
    .output(notificationConfig)
    .mutation(({ ctx, input }) => updateNotificationConfig(ctx, input)),
});
