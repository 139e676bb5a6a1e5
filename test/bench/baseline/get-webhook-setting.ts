import type { Pool } from 'pg';

export async function getWebhookSetting(pool: Pool, tenantId: string) {
  const { rows } = await pool.query<{ isEnabled: boolean }>({
    name: 'get-webhook-setting',
    text: `SELECT use_advanced_webhooks AS "isEnabled" FROM service_settings WHERE tenant_id = $1`,
    values: [tenantId],
  });
  return {
    status: 'success',
    message: 'Advanced webhook config retrieved successfully.',
    data: rows[0],
  };
}
