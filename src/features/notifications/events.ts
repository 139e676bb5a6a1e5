import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedNotification } from './schema.ts';

export const notificationEventTypes: EventTypes = {
  'notification.add': {
    summary: 'Users were notified.',
    data: presentedNotification,
    example: {
      id: 'reminder',
      notificationSource: 'custom',
      notificationSourceData: {},
      actionUser: { userId: 'ada', name: 'Ada Lovelace' },
      displayHeadlineMessageTemplate: '{actionUser} wants your review',
      displayHeadlineMessageTemplateData: {},
      displayHeadlineMessage: 'Ada Lovelace wants your review',
      displayBodyMessage: 'The plan is ready.',
      metadata: { apiKey: 'key', organizationId: 'acme', documentId: 'launch-plan' },
      notifyUsers: { grace: true },
      notifyUsersByUserId: { grace: true },
      timestamp: 1_790_000_000_000,
    },
  },
};
