import { z } from 'zod';
import {
  batch,
  checkFreeJson,
  epochMs,
  freeObject,
  id,
  idList,
  pageSize,
  pageToken,
  text,
} from '../../api/fields.ts';
import { lastEventId } from '../../api/follow.ts';
import { importedTime } from '../../api/imported-times.ts';
import { page } from '../../api/paging.ts';
import { presentedUser, user } from '../access/users/schema.ts';
import { presentedEvent } from '../events/schema.ts';
import { accessContext } from '../permissions/schema.ts';

const message = text(10_000).min(1);

const templateData = z
  .record(text(256), z.union([text(10_000), user]))
  .superRefine(checkFreeJson)
  .meta({ description: "The values of the template's variables: users, or text." });

const locationId = z.union([id, z.number()]).meta({ description: 'A number is compared as text.' });

export const AddNotification = z.object({
  organizationId: id,
  documentId: id,
  notificationId: id.optional().meta({
    description: 'Repeating an id creates no second notification. Generated when absent.',
  }),
  actionUser: user,
  notifyUsers: batch(user),
  displayHeadlineMessageTemplate: message.meta({
    description: 'With variables in curly brackets: {actionUser}, {recipientUser}, or your own.',
  }),
  displayHeadlineMessageTemplateData: templateData.optional(),
  displayBodyMessage: message,
  timestamp: importedTime,
  location: freeObject.optional(),
  locationId: locationId.optional().meta({ description: 'Default: the one in `location`.' }),
  context: accessContext.optional().meta({
    description: 'Only users who hold one of the values of every field see the notification.',
  }),
});
export type AddNotificationInput = z.infer<typeof AddNotification>;

const order = z.enum(['asc', 'desc']);

export const GetNotifications = z.object({
  organizationId: id,
  documentId: id.optional(),
  locationId: locationId.optional(),
  userId: id.optional(),
  notificationIds: idList(30).optional(),
  pageSize,
  pageToken,
  order: order.default('desc').meta({ description: 'By timestamp.' }),
});
export type GetNotificationsInput = z.infer<typeof GetNotifications>;

const ownUser = id.optional().meta({
  description: 'Required with an API key. With a user token, it is the user of the token.',
});

export const UpdateNotifications = z.object({
  organizationId: id,
  userId: ownUser,
  notificationIds: batch(id),
  isRead: z.boolean().default(true),
});
export type UpdateNotificationsInput = z.infer<typeof UpdateNotifications>;

export const DeleteNotifications = z.object({
  organizationId: id,
  documentId: id.optional().meta({ description: 'Only notifications of this document.' }),
  notificationIds: batch(id),
});
export type DeleteNotificationsInput = z.infer<typeof DeleteNotifications>;

export const CountUnread = z.object({
  organizationId: id,
  userId: ownUser,
  documentIds: idList().optional().meta({
    description: 'Only these documents are counted. If absent or empty, the whole inbox is.',
  }),
});
export type CountUnreadInput = z.infer<typeof CountUnread>;

export const unreadCount = z
  .object({
    total: z.number(),
    byDocumentId: z.record(z.string(), z.number()).meta({
      description: 'The requested documents, or else those with unread notifications.',
    }),
  })
  .meta({ id: 'UnreadCount' });
export type UnreadCount = z.infer<typeof unreadCount>;

const trueByUserId = z.record(z.string(), z.literal(true));

/** A notification as callers receive it (specification 2.12). */
export const presentedNotification = z
  .object({
    id: z.string(),
    notificationSource: z.string(),
    notificationSourceData: z.record(z.string(), z.unknown()),
    actionUser: presentedUser,
    displayHeadlineMessageTemplate: z.string(),
    displayHeadlineMessageTemplateData: z.record(z.string(), z.union([z.string(), presentedUser])),
    displayHeadlineMessage: z.string().meta({ description: 'The template, filled in.' }),
    displayBodyMessage: z.string(),
    metadata: z.object({ apiKey: z.string(), organizationId: z.string(), documentId: z.string() }),
    notifyUsers: trueByUserId,
    notifyUsersByUserId: trueByUserId,
    timestamp: epochMs,
    location: z.record(z.string(), z.unknown()).optional(),
    locationId: z.string().optional(),
    context: accessContext.optional(),
    isRead: z.boolean().optional().meta({ description: "Present in a user's inbox." }),
  })
  .meta({ id: 'Notification' });
export type PresentedNotification = z.infer<typeof presentedNotification>;

export const notificationPage = page(presentedNotification);

export const NotificationChanges = z.object({
  organizationId: id,
  userId: id.optional().meta({
    description:
      'The user of the inbox. Required with an API key. With a user token, it is the user of the token.',
  }),
  lastEventId,
});
export type NotificationChangesInput = z.infer<typeof NotificationChanges>;

/** A new notification in the inbox, presented as in a list of notifications. */
export const notificationChange = presentedEvent.extend({
  type: z.literal('notification.add'),
  data: presentedNotification,
});
export type NotificationChange = z.infer<typeof notificationChange>;
