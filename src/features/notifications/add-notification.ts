import { lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { timeOf } from '../../api/imported-times.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { newId } from '../../platform/ids.ts';
import type { NamedUserObject } from '../comments/annotation-row.ts';
import { namingScopeOf, resolveUsers } from '../comments/annotations/resolve-users.ts';
import { locationIdOf } from '../comments/locations.ts';
import { documentChannels, requireLockedDocument } from '../directory/documents/lock-document.ts';
import {
  insertNotificationsSql,
  insertRecipientsSql,
  NOTIFICATION_CONSTRAINTS,
} from './insert-notifications.ts';
import { type NotificationRow, notificationAddedEvent } from './present-notification.ts';
import type { AddNotificationInput } from './schema.ts';

/**
 * Adds a custom notification to the inbox of each recipient, and publishes it. If its id already
 * exists, the notification is neither written nor published again.
 */
export function addNotification(
  ctx: KeyContext,
  input: AddNotificationInput,
): Promise<Record<string, ItemOutcome>> {
  const recipients = lastOfEach(input.notifyUsers, (user) => user.userId);
  const { notificationId = newId() } = input;
  return ctx.db.transaction(async (tx) => {
    const [{ folderId }, users, isTaken] = await pipeline([
      requireLockedDocument(tx, ctx.tenantId, input),
      resolveUsers(ctx, tx, namingScopeOf(input), [input.actionUser, ...recipients]),
      notificationExists(ctx, tx, input),
    ]);
    const outcome = (message: string) => outcomeMap([succeeded(notificationId, message)]);
    if (isTaken) return outcome('Notification already exists.');
    const recipientIds = recipients.map((user) => user.userId).sort();
    // The acting user's stored fields, such as the name, are added to the given ones.
    const actionUser = users.complete(input.actionUser);
    const fields = fieldsOf(ctx, input, actionUser);
    const row = { ...fields, notificationId, recipientIds };
    tx.beforeCommit(insertRecipientsSql(ctx.tenantId, recipients));
    // If another transaction takes the id first, this one is retried.
    const insertion = await insertNotificationsSql(ctx.tenantId, [row]);
    tx.beforeCommit(insertion, { retryOn: NOTIFICATION_CONSTRAINTS });
    const channels = documentChannels(row, folderId, input.actionUser.userId);
    const event = notificationAddedEvent(ctx.tenantId, row, channels);
    await ctx.events.append(tx, ctx.tenantId, [event]);
    return outcome('Notification added.');
  });
}

/** Whether a notification with the given id exists; false when the call gives none. */
async function notificationExists(
  { tenantId }: KeyContext,
  tx: Transaction,
  { organizationId, notificationId }: AddNotificationInput,
): Promise<boolean> {
  if (notificationId === undefined) return false;
  const rows = await tx.query(sql`
    SELECT 1 FROM notifications
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND notification_id = ${notificationId}`);
  return rows.length > 0;
}

function fieldsOf(
  ctx: KeyContext,
  input: AddNotificationInput,
  actionUser: NamedUserObject,
): Omit<NotificationRow, 'notificationId' | 'recipientIds'> {
  const locationId = locationIdOf(input);
  const { organizationId, documentId, timestamp } = input;
  return {
    organizationId,
    documentId,
    // Locations are compared as text, so a number is stored as text.
    locationId: locationId === undefined ? null : String(locationId),
    createdMs: String(timeOf(ctx, timestamp, { now: ctx.clock.now(), path: 'timestamp' })),
    source: 'custom',
    annotationId: null,
    access: input.context?.access ?? null,
    content: {
      sourceData: {},
      actionUser,
      template: input.displayHeadlineMessageTemplate,
      templateData: input.displayHeadlineMessageTemplateData ?? {},
      body: input.displayBodyMessage,
      location: input.location,
    },
  };
}
