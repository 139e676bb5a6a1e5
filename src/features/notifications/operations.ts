import { requireAdvancedQueries } from '../../api/advanced-queries.ts';
import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router, subscriptionOperation } from '../../api/procedures.ts';
import { addNotification } from './add-notification.ts';
import { countUnread } from './count-unread.ts';
import { deleteNotifications } from './delete-notifications.ts';
import { explainNotification } from './explain/explain-notification.ts';
import { ExplainNotification, notificationExplanation } from './explain/schema.ts';
import { followInbox } from './follow-inbox.ts';
import { getNotifications } from './get-notifications.ts';
import { preferencesRouter } from './preferences/operations.ts';
import {
  AddNotification,
  CountUnread,
  DeleteNotifications,
  GetNotifications,
  NotificationChanges,
  notificationChange,
  notificationPage,
  UpdateNotifications,
  unreadCount,
} from './schema.ts';
import { updateNotifications } from './update-notifications.ts';

const outcome = (message: string) => ({
  'due-soon': { success: true, id: 'due-soon', message },
});

const place = { organizationId: 'acme', documentId: 'launch-plan' };
const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };

const message = {
  displayHeadlineMessageTemplate: '{actionUser} set the date of {task}',
  displayHeadlineMessageTemplateData: { task: 'the launch' },
  displayBodyMessage: 'It is due on Friday.',
};

export const notificationsRouter = router({
  add: apiKeyOperation({
    path: '/v2/notifications/add',
    addsContent: true,
    summary: 'Add a notification',
    description:
      'Adds a notification to the inboxes of users, who see it while they may see its document. With an existing notificationId, nothing is added. Unknown recipients become users without any role.',
    message: 'Notification added successfully.',
    example: {
      request: {
        ...place,
        notificationId: 'due-soon',
        actionUser: ada,
        notifyUsers: [{ userId: 'grace' }],
        ...message,
      },
      response: outcome('Notification added.'),
    },
  })
    .input(AddNotification)
    .output(outcomes)
    .mutation(({ ctx, input }) => addNotification(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/notifications/get',
    summary: 'Get notifications',
    description:
      "All notifications of a document, or those in a user's inbox that the user may see now, with the present access to documents and access contexts. In addition to organizationId, give documentId or userId. documentId can be combined with notificationIds, locationId or both; userId with notificationIds alone, or with documentId, locationId or both. A user token reads its own inbox.",
    message: 'Notification(s) retrieved successfully.',
    envelope: 'page',
    pageTokenField: 'pageToken',
    userToken: true,
    fromReplica: true,
    errors: ['FAILED_PRECONDITION'],
    example: {
      request: { organizationId: 'acme', userId: 'grace' },
      response: [
        {
          id: 'due-soon',
          notificationSource: 'custom',
          notificationSourceData: {},
          actionUser: ada,
          ...message,
          displayHeadlineMessage: 'Ada Lovelace set the date of the launch',
          metadata: { apiKey: 'k1', ...place },
          notifyUsers: { grace: true },
          notifyUsersByUserId: { grace: true },
          timestamp: 1_767_603_600_000,
          isRead: false,
        },
      ],
    },
  })
    .input(GetNotifications)
    .output(notificationPage)
    .query(({ ctx, input }) => getNotifications(requireAdvancedQueries(ctx), input)),

  update: apiKeyOperation({
    path: '/v2/notifications/update',
    summary: 'Update the read state of notifications',
    description:
      "Marks notifications in a user's inbox as read, or as unread. A user token changes its own inbox.",
    message: 'Notification(s) updated successfully.',
    userToken: true,
    example: {
      request: { organizationId: 'acme', userId: 'grace', notificationIds: ['due-soon'] },
      response: outcome('Notification updated.'),
    },
  })
    .input(UpdateNotifications)
    .output(outcomes)
    .mutation(({ ctx, input }) => updateNotifications(ctx, input)),

  unreadCount: apiKeyOperation({
    path: '/v2/notifications/unread/count/get',
    summary: 'Count unread notifications',
    description:
      'How many of the notifications that a user may see now are unread in the inbox. A user token counts its own inbox.',
    message: 'Unread notification count retrieved successfully.',
    userToken: true,
    fromReplica: true,
    example: {
      request: { organizationId: 'acme', userId: 'grace' },
      response: { total: 3, byDocumentId: { 'launch-plan': 3 } },
    },
  })
    .input(CountUnread)
    .output(unreadCount)
    .query(({ ctx, input }) => countUnread(ctx, input)),

  explain: apiKeyOperation({
    path: '/v2/notifications/explain',
    summary: 'Explain a notification',
    description:
      'Why a user is or is not notified of an event of an annotation, or does or does not see a notification: the decisions of the server in their order, with the current settings and access. Give annotationId with its documentId, or notificationId.',
    message: 'Notification explained successfully.',
    example: {
      request: { organizationId: 'acme', userId: 'grace', notificationId: 'due-soon' },
      response: {
        notified: false,
        steps: [
          { rule: 'audience', outcome: 'passes', reason: 'The notification names the user.' },
          { rule: 'document', outcome: 'stops', reason: 'The user has no access to the document.' },
        ],
      },
    },
  })
    .input(ExplainNotification)
    .output(notificationExplanation)
    .query(({ ctx, input }) => explainNotification(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/notifications/delete',
    summary: 'Delete notifications',
    description: 'Deletes notifications from every inbox, permanently.',
    message: 'Notification(s) deleted successfully.',
    example: {
      request: { organizationId: 'acme', notificationIds: ['due-soon'] },
      response: outcome('Notification deleted.'),
    },
  })
    .input(DeleteNotifications)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteNotifications(ctx, input)),

  changes: subscriptionOperation({
    summary: 'Follow an inbox',
    description:
      "Each new notification in a user's inbox in an organization, if the user may see it at that moment.",
    item: notificationChange,
  })
    .input(NotificationChanges)
    .subscription(({ ctx, input }) => followInbox(ctx, input)),

  config: preferencesRouter,
});
