import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql } from '../../platform/database/database.ts';
import { filterVisibleItems } from '../access/on-document.ts';
import { requireOwnUserId } from '../access/own-user.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { InboxRow } from './present-notification.ts';
import type { UpdateNotificationsInput } from './schema.ts';
import { fromInbox, isSourceVisible, NOTIFICATION_ID } from './select-notifications.ts';

type LockedRow = Pick<InboxRow, 'notificationId' | 'documentId' | 'access' | 'isShown'>;

/**
 * Marks notifications in an inbox as read or unread. With a user token, a notification that the user
 * may not see is treated like one that does not exist.
 */
export async function updateNotifications(
  ctx: KeyContext,
  input: UpdateNotificationsInput,
): Promise<Record<string, ItemOutcome>> {
  const { organizationId, isRead } = input;
  const { tenantId } = ctx;
  const userId = requireOwnUserId(ctx, input);
  const inbox = { organizationId, userId };
  const isByUser = ctx.userId !== undefined;
  const notificationIds = [...new Set(input.notificationIds)];
  return ctx.db.transaction(async (tx) => {
    if (!isByUser) await requireOrganization(tx, tenantId, organizationId);
    const lock = sql`FOR NO KEY UPDATE`;
    const locked = await tx.query<LockedRow>(sql`
      SELECT r.notification_id AS "notificationId", n.document_id AS "documentId",
             COALESCE(n.access, a.access) AS access, ${isSourceVisible(ctx, userId)} AS "isShown"
      ${fromInbox(ctx, inbox, { idColumn: NOTIFICATION_ID, ids: notificationIds, lock })}`);
    const shown = locked.filter((row) => row.isShown);
    const found = isByUser ? await filterVisibleItems(ctx, tx, inbox, shown) : locked;
    const changed = found.map((row) => row.notificationId);
    // A notification that has already been read keeps the time of the first reading.
    const readMs = isRead ? sql`COALESCE(read_ms, ${ctx.clock.now()}::bigint)` : sql`NULL`;
    await tx.query(sql`
      UPDATE notification_recipients SET read_ms = ${readMs}
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND user_id = ${userId} AND notification_id = ANY(${changed})`);
    const failure = 'Notification is not in this inbox.';
    return outcomesOf(notificationIds, changed, 'Notification updated.', failure);
  });
}
