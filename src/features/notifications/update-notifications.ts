import { failed, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { filterOnDocuments } from '../access/on-document.ts';
import { requireOwnUserId } from '../access/own-user.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { InboxRow } from './present-notification.ts';
import type { UpdateNotificationsInput } from './schema.ts';
import { isSourceIncluded, joinSource } from './source-annotation.ts';

interface Inbox {
  tenantId: string;
  organizationId: string;
  userId: string;
}

type LockedRow = Pick<InboxRow, 'notificationId' | 'documentId' | 'access' | 'isShown'>;

/**
 * Marks notifications in an inbox as read or unread. To a user token, a notification that the user
 * may not see looks like one that does not exist.
 */
export async function updateNotifications(
  ctx: KeyContext,
  input: UpdateNotificationsInput,
): Promise<Record<string, ItemOutcome>> {
  const { organizationId, isRead } = input;
  const userId = requireOwnUserId(ctx, input);
  const inbox = { tenantId: ctx.tenantId, organizationId, userId };
  const notificationIds = [...new Set(input.notificationIds)];
  return ctx.db.transaction(async (tx) => {
    if (ctx.userId === undefined) await requireOrganization(tx, ctx.tenantId, organizationId);
    const locked = await lockInInbox(ctx, tx, inbox, notificationIds);
    const visible =
      ctx.userId === undefined
        ? locked
        : await filterOnDocuments(
            ctx,
            tx,
            inbox,
            locked.filter((row) => row.isShown),
          );
    const changed = new Set(visible.map((row) => row.notificationId));
    await markRead(tx, inbox, [...changed], isRead ? ctx.clock.now() : null);
    return outcomeMap(
      notificationIds.map((id) =>
        changed.has(id)
          ? succeeded(id, 'Notification updated.')
          : failed(id, 'Notification is not in this inbox.'),
      ),
    );
  });
}

/** Locks in the order of ids, so that concurrent calls cannot deadlock. */
const lockInInbox = (
  ctx: KeyContext,
  tx: Transaction,
  { tenantId, organizationId, userId }: Inbox,
  notificationIds: string[],
): Promise<LockedRow[]> =>
  tx.query<LockedRow>(sql`
    SELECT r.notification_id AS "notificationId", n.document_id AS "documentId",
           COALESCE(n.access, a.access) AS access, ${isSourceIncluded(ctx, userId)} AS "isShown"
    FROM notification_recipients r
    JOIN notifications n ON n.tenant_id = r.tenant_id AND n.organization_id = r.organization_id
      AND n.notification_id = r.notification_id
    ${joinSource(tenantId)}
    WHERE r.tenant_id = ${tenantId} AND r.organization_id = ${organizationId}
      AND r.user_id = ${userId} AND r.notification_id = ANY(${notificationIds})
    ORDER BY r.notification_id FOR NO KEY UPDATE OF r`);

/** A notification that was read already keeps its first time. */
async function markRead(
  tx: Transaction,
  { tenantId, organizationId, userId }: Inbox,
  notificationIds: string[],
  readMs: number | null,
): Promise<void> {
  await tx.query(sql`
    UPDATE notification_recipients
    SET read_ms = CASE WHEN ${readMs}::bigint IS NULL THEN NULL
                  ELSE COALESCE(read_ms, ${readMs}::bigint) END
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND user_id = ${userId} AND notification_id = ANY(${notificationIds})`);
}
