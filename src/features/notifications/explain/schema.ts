import { z } from 'zod';
import { id } from '../../../api/fields.ts';

export const ExplainNotification = z
  .object({
    organizationId: id,
    userId: id,
    documentId: id.optional(),
    annotationId: id
      .optional()
      .meta({ description: 'Give it with its documentId, or give notificationId instead.' }),
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
      message: 'must be given with its documentId, unless notificationId is given instead',
    },
  );
export type ExplainNotificationInput = z.infer<typeof ExplainNotification>;

/**
 * The rules in the order in which a notification passes them. Each has the reason that is shown when the
 * notification passes the rule, and the reason that is shown when the rule stops it. `TEXT` is replaced
 * with details. A reason that is never shown is empty.
 */
export const RULES = {
  event: ['TEXT', 'Events of the annotation are no longer stored.'],
  service: [
    'The notification service of the API key is on.',
    'The notification service of the API key is off: set useNotificationService.',
  ],
  trigger: [
    'The trigger TEXT is on.',
    'The trigger TEXT is off, or another event of the same change notifies instead.',
  ],
  requested: [
    'The call was made by a user, or asked for notifications.',
    'The call did not ask for notifications (triggerNotification), or is of a kind that never notifies anyone: a deletion, the removal of a reaction, or a change of a subscription.',
  ],
  actor: ['TEXT', 'Users are not notified of what they do themselves.'],
  audience: [
    'TEXT',
    'The user is not mentioned, assigned or subscribed, and is in no group that is.',
  ],
  subject: ['', 'The subject of the event was deleted or withdrawn while the notification waited.'],
  document: ['The user may view the document.', 'The user has no access to the document.'],
  context: [
    'The user holds the values that the access context requires, if there is one.',
    'The access context, as it is now or was at the time of the event, has a field of which the user holds no value.',
  ],
  visibility: [
    'The visibility includes the user.',
    'The visibility, as it is now or was at the time of the event, does not include the user.',
  ],
  subscription: [
    'The user has not unsubscribed.',
    'The user has unsubscribed from the annotation.',
  ],
  preference: [
    'The inbox preference of the user allows it.',
    'The inbox preference of the user does not allow it: it is NONE, or it is MINE and the user has only subscribed to the annotation.',
  ],
  read: [
    'The user has not read the annotation since the event.',
    'The user read the annotation while the notification waited.',
  ],
  timing: ['TEXT', ''],
} satisfies Record<string, [passes: string, stops: string]>;

export type Rule = keyof typeof RULES;

const step = z
  .object({
    rule: z.enum(Object.keys(RULES) as Rule[]),
    outcome: z.enum(['passes', 'stops', 'info']).meta({
      description:
        '`stops`: because of this rule, there is no notification. `info` decides nothing.',
    }),
    reason: z.string(),
  })
  .meta({ id: 'NotificationStep' });
export type NotificationStep = z.infer<typeof step>;

export const notificationExplanation = z
  .object({
    notified: z.boolean().meta({
      description: 'Whether the user is notified: no step has the outcome `stops`.',
    }),
    steps: z.array(step).meta({ description: 'In the order of the decision.' }),
  })
  .meta({ id: 'NotificationExplanation' });
export type NotificationExplanation = z.infer<typeof notificationExplanation>;
