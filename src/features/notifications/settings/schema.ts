import { z } from 'zod';
import { atLeastOneOf } from '../../settings/service-config.ts';
import { triggers } from '../../settings/triggers.ts';

const integerBetween = (min: number, max: number, unit: string) =>
  z
    .number()
    .int()
    .min(min, `must be at least ${min} ${unit}`)
    .max(max, `must be at most ${max} ${unit}`);

const DAY_SECONDS = 86_400;

/** How long a notification waits. It is dropped if its source is meanwhile read or deleted. */
const delay = z.object({
  isEnabled: z.boolean(),
  delaySeconds: integerBetween(10, 180 * DAY_SECONDS, 'seconds'),
});

/** How notifications about an annotation are combined: until the window ends or the maximum is reached. */
const batching = z.object({
  isEnabled: z.boolean(),
  windowSeconds: integerBetween(10, 7 * DAY_SECONDS, 'seconds'),
  maxNotifications: integerBetween(2, 50, 'notifications'),
});

export const notificationConfig = z
  .object({ useNotificationService: z.boolean(), triggers, delay, batching })
  .meta({ id: 'NotificationConfig' });
export type NotificationConfig = z.infer<typeof notificationConfig>;

export const UpdateNotificationConfig = atLeastOneOf({
  useNotificationService: z.boolean().optional(),
  triggers: triggers.optional(),
  delay: delay.partial().optional(),
  batching: batching.partial().optional(),
});
export type UpdateNotificationConfigInput = z.infer<typeof UpdateNotificationConfig>;
