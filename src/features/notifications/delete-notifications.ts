import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { DeleteNotificationsInput } from './schema.ts';

/** Deletes notifications from every inbox. */
export function deleteNotifications(
  { db, tenantId }: KeyContext,
  { organizationId, documentId, notificationIds }: DeleteNotificationsInput,
): Promise<Record<string, ItemOutcome>> {
  const onDocument = documentId === undefined ? empty : sql`AND document_id = ${documentId}`;
  return db.transaction(async (tx) => {
    await requireOrganization(tx, tenantId, organizationId);
    // The rows are locked in the order of ids, so that concurrent calls cannot deadlock.
    const rows = await tx.query<{ id: string }>(sql`
      WITH locked AS MATERIALIZED (
        SELECT notification_id FROM notifications
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND notification_id = ANY(${notificationIds}) ${onDocument}
        ORDER BY notification_id FOR UPDATE
      )
      DELETE FROM notifications n USING locked
      WHERE n.tenant_id = ${tenantId} AND n.organization_id = ${organizationId}
        AND n.notification_id = locked.notification_id
      RETURNING n.notification_id AS id`);
    const deleted = rows.map(({ id }) => id);
    const failure = 'Notification does not exist.';
    return outcomesOf(notificationIds, deleted, 'Notification deleted.', failure);
  });
}
