import { failed, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { empty, sql, type Transaction } from '../../platform/database/database.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { DeleteNotificationsInput } from './schema.ts';

/** Deletes notifications from every inbox. */
export function deleteNotifications(
  ctx: KeyContext,
  input: DeleteNotificationsInput,
): Promise<Record<string, ItemOutcome>> {
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, input.organizationId);
    const deleted = await deleteRows(tx, ctx.tenantId, input);
    return outcomeMap(
      input.notificationIds.map((id) =>
        deleted.has(id)
          ? succeeded(id, 'Notification deleted.')
          : failed(id, 'Notification does not exist.'),
      ),
    );
  });
}

/** Locks in the order of ids, so that concurrent calls cannot deadlock. */
async function deleteRows(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId, notificationIds }: DeleteNotificationsInput,
): Promise<Set<string>> {
  const onDocument = documentId === undefined ? empty : sql`AND document_id = ${documentId}`;
  const rows = await tx.query<{ notificationId: string }>(sql`
    WITH locked AS MATERIALIZED (
      SELECT notification_id FROM notifications
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND notification_id = ANY(${notificationIds}) ${onDocument}
      ORDER BY notification_id FOR UPDATE
    )
    DELETE FROM notifications n USING locked
    WHERE n.tenant_id = ${tenantId} AND n.organization_id = ${organizationId}
      AND n.notification_id = locked.notification_id
    RETURNING n.notification_id AS "notificationId"`);
  return new Set(rows.map((row) => row.notificationId));
}
