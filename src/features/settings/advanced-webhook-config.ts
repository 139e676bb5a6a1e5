import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { AdvancedWebhookConfig } from './schema.ts';
import { settingsRow } from './settings-row.ts';

type Context = Pick<KeyContext, 'db' | 'tenantId'>;

/** Whether the key may use advanced webhooks (specification part 3). */
export async function getAdvancedWebhookConfig({
  db,
  tenantId,
}: Context): Promise<AdvancedWebhookConfig> {
  const rows = await db.query<AdvancedWebhookConfig>(sql`
    SELECT use_advanced_webhooks AS "isEnabled" FROM service_settings
    WHERE tenant_id = ${tenantId}`);
  return settingsRow(rows);
}

export async function updateAdvancedWebhookConfig(
  { db, tenantId }: Context,
  { isEnabled }: AdvancedWebhookConfig,
): Promise<AdvancedWebhookConfig> {
  const rows = await db.query<AdvancedWebhookConfig>(sql`
    UPDATE service_settings SET use_advanced_webhooks = ${isEnabled}
    WHERE tenant_id = ${tenantId}
    RETURNING use_advanced_webhooks AS "isEnabled"`);
  return settingsRow(rows);
}
