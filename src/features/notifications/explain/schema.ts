import { z } from 'zod';
import { id } from '../../../api/fields.ts';

export const ExplainNotification = z
  .object({
    organizationId: id,
    userId: id,
    documentId: id.optional(),
    annotationId: id.optional().meta({ description: 'With its documentId, or notificationId.' }),
    eventId: id.optional().meta({
      description:
        'An event of the annotation. Default: the newest that asked for notifications, else the newest.',
    }),
    notificationId: id.optional(),
  })
  .refine(
    ({ annotationId, documentId, notificationId }) =>
      notificationId === undefined
        ? annotationId !== undefined && documentId !== undefined
        : annotationId === undefined,
    {
      path: ['annotationId'],
      message: 'must be given with its documentId, or notificationId instead of it',
    },
  );
export type ExplainNotificationInput = z.infer<typeof ExplainNotification>;

/** The rules in the order in which a notification passes them. */
const rule = z.enum([
  'event',
  'service',
  'trigger',
  'requested',
  'actor',
  'audience',
  'subject',
  'document',
  'context',
  'visibility',
  'subscription',
  'preference',
  'read',
  'timing',
]);

const step = z
  .object({
    rule,
    outcome: z.enum(['passes', 'stops', 'info']).meta({
      description: '`stops`: no notification because of this rule. `info` decides nothing.',
    }),
    reason: z.string(),
  })
  .meta({ id: 'NotificationStep' });
export type NotificationStep = z.infer<typeof step>;

export const notificationExplanation = z
  .object({
    notified: z.boolean().meta({ description: 'Whether no step stops.' }),
    steps: z.array(step).meta({ description: 'In the order of the decision.' }),
  })
  .meta({ id: 'NotificationExplanation' });
export type NotificationExplanation = z.infer<typeof notificationExplanation>;
