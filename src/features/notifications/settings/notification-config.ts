import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { mergeTriggers } from '../../settings/triggers.ts';
import type { NotificationConfig, UpdateNotificationConfigInput } from './schema.ts';

interface ConfigRow {
  tenantId: string;
  useNotificationService: boolean;
  triggers: NotificationConfig['triggers'];
  delay: Partial<NotificationConfig['delay']> | null;
  batching: Partial<NotificationConfig['batching']> | null;
}

const COLUMNS = sql`tenant_id AS "tenantId", use_notification_service AS "useNotificationService",
  notification_triggers AS triggers, notification_delay AS delay,
  notification_batching AS batching`;

/** SQL: the keys that use the notification service. */
export const keysWithNotifications = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */ WHERE use_notification_service`;

/** Loads the notification configurations of keys, by tenant, in one statement. */
export async function loadNotificationConfigs(
  db: Queryable,
  tenantIds: string[],
): Promise<Map<string, NotificationConfig>> {
  const rows = await db.query<ConfigRow>(sql`
    SELECT ${COLUMNS} FROM service_settings /* all tenants, background */
    WHERE tenant_id = ANY(${tenantIds})`);
  return new Map(rows.map((row) => [row.tenantId, present(row)]));
}

export async function getNotificationConfig({ db, tenantId }: { db: Queryable; tenantId: string }) {
  const rows = await db.query<ConfigRow>(sql`
    SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${tenantId}`);
  return present(requireSettingsRow(rows));
}

/** Merges the change into the stored configuration. A lock serializes concurrent updates. */
export function updateNotificationConfig(
  { db, tenantId }: KeyContext,
  change: UpdateNotificationConfigInput,
): Promise<NotificationConfig> {
  return db.transaction(async (tx) => {
    const locked = await tx.query<ConfigRow>(sql`
      SELECT ${COLUMNS} FROM service_settings
      WHERE tenant_id = ${tenantId} FOR NO KEY UPDATE`);
    const triggers = mergeTriggers(requireSettingsRow(locked).triggers, change.triggers ?? {});
    const rows = await tx.query<ConfigRow>(sql`
      UPDATE service_settings SET
        use_notification_service = COALESCE(${change.useNotificationService}, use_notification_service),
        notification_triggers = ${triggers},
        notification_delay = COALESCE(notification_delay, '{}') || ${change.delay ?? {}}::jsonb,
        notification_batching =
          COALESCE(notification_batching, '{}') || ${change.batching ?? {}}::jsonb
      WHERE tenant_id = ${tenantId}
      RETURNING ${COLUMNS}`);
    return present(requireSettingsRow(rows));
  });
}

/** Fills in the defaults of fields that are not configured. */
const present = ({ useNotificationService, triggers, delay, batching }: ConfigRow) => ({
  useNotificationService,
  triggers,
  delay: { isEnabled: false, delaySeconds: 30, ...delay },
  batching: { isEnabled: false, windowSeconds: 300, maxNotifications: 10, ...batching },
});
