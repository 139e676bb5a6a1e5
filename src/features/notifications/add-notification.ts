import { lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { newId } from '../../platform/ids.ts';
import { ensureUsers, placeIn } from '../comments/annotations/ensure-users.ts';
import type { NamedUserObject } from '../comments/comment-row.ts';
import { locationIdOf } from '../comments/locations.ts';
import { requireLockedDocument } from '../directory/documents/lock-document.ts';
import { insertNotifications } from './insert-notifications.ts';
import { type NotificationRow, notificationAdded } from './present-notification.ts';
import type { AddNotificationInput } from './schema.ts';

/**
 * Adds a notification of the caller's own to the inbox of each recipient, and publishes it. If the
 * id exists already, nothing is written or published.
 */
export function addNotification(
  ctx: KeyContext,
  input: AddNotificationInput,
): Promise<Record<string, ItemOutcome>> {
  const recipients = lastOfEach(input.notifyUsers, (user) => user.userId);
  const { notificationId = newId() } = input;
  return ctx.db.transaction(async (tx) => {
    const { folderId } = await requireLockedDocument(tx, ctx.tenantId, input);
    const users = await ensureUsers(ctx, tx, placeIn(input), [input.actionUser, ...recipients]);
    const row = rowOf(ctx, input, {
      notificationId,
      actionUser: users.complete(input.actionUser),
      recipientIds: recipients.map((user) => user.userId).sort(),
    });
    const added = await insertNotifications(tx, ctx.tenantId, [row], recipients);
    const isNew = added.has(notificationId);
    const events = isNew ? [notificationAdded(ctx.tenantId, row, folderId)] : [];
    await ctx.events.append(tx, ctx.tenantId, events);
    const message = isNew ? 'Notification added.' : 'Notification exists already.';
    return outcomeMap([succeeded(notificationId, message)]);
  });
}

const rowOf = (
  ctx: KeyContext,
  input: AddNotificationInput,
  {
    notificationId,
    actionUser,
    recipientIds,
  }: { notificationId: string; actionUser: NamedUserObject; recipientIds: string[] },
): NotificationRow => ({
  organizationId: input.organizationId,
  notificationId,
  documentId: input.documentId,
  locationId: locationOf(input),
  createdMs: String(ctx.clock.now()),
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
  recipientIds,
});

/** Locations are compared as text, so a number is stored as its text. */
function locationOf(input: AddNotificationInput): string | null {
  const given = locationIdOf(input);
  return given === undefined ? null : String(given);
}
