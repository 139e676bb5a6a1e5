import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { wakeQueues } from '../queues.ts';
import type { AdvancedWebhookConfig } from './schema.ts';

/** Returns whether the key may use advanced webhooks (specification part 3). */
export async function getAdvancedWebhookConfig({
  db,
  tenantId,
}: KeyContext): Promise<AdvancedWebhookConfig> {
  const rows = await db.query<AdvancedWebhookConfig>(sql`
    SELECT use_advanced_webhooks AS "isEnabled" FROM service_settings
    WHERE tenant_id = ${tenantId}`);
  return requireSettingsRow(rows);
}

/** Enables or disables advanced webhooks. While they are disabled, pending deliveries wait. */
export async function updateAdvancedWebhookConfig(
  ctx: KeyContext,
  { isEnabled }: AdvancedWebhookConfig,
): Promise<AdvancedWebhookConfig> {
  return ctx.db.transaction(async (tx) => {
    const rows = await tx.query<AdvancedWebhookConfig>(sql`
      UPDATE service_settings SET use_advanced_webhooks = ${isEnabled}
      WHERE tenant_id = ${ctx.tenantId}
      RETURNING use_advanced_webhooks AS "isEnabled"`);
    await wakeQueues(ctx, tx);
    return requireSettingsRow(rows);
  });
}
