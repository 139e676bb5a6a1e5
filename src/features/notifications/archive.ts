import { type ArchivedTable, TENANT } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { getNotificationConfig } from './settings/notification-config.ts';
import { notificationConfig } from './settings/schema.ts';

/** The most bytes of a key's imported settings. Operations limit each setting to less. */
const MAX_SETTINGS_BYTES = 1024 * 1024;

/**
 * Refuses imported settings with which the notification reader would fail: it serves all API keys.
 *
 * @throws INVALID_ARGUMENT
 */
export const requireNotificationConfig: ArchivedTable['finish'] = async (_parts, tx, scope) => {
  const { tenantId } = scope;
  const [large] = await tx.query(sql`
    SELECT 1 FROM service_settings
    WHERE tenant_id = ${tenantId}
      AND octet_length(service_settings::text) > ${MAX_SETTINGS_BYTES}`);
  if (large) throw invalidArgument('The archive cannot be imported: its settings are too large.');
  const config = await getNotificationConfig({ db: tx, tenantId });
  const { error } = notificationConfig.pick({ delay: true, batching: true }).safeParse(config);
  const [issue] = error?.issues ?? [];
  if (!issue) return;
  throw invalidArgument(
    `The archive cannot be imported: ${issue.path.join('.')} of notifications ${issue.message}.`,
  );
};

/** Only the order of positions is archived: the importing server numbers them anew. */
export const archivedNotifications: ArchivedTable = {
  name: 'notifications',
  order: sql`t.position`,
  omitted: ['position'],
};

export const archivedInboxes: ArchivedTable = {
  name: 'notification_recipients',
  omitted: ['position'],
  imported: {
    position: sql`COALESCE((
      SELECT notification.position FROM notifications notification
      WHERE notification.tenant_id = ${TENANT}
        AND notification.organization_id = t.organization_id
        AND notification.notification_id = t.notification_id), 0)`,
  },
};
