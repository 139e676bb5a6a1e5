import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { isMasked, maskUrl } from '../../../platform/mask-url.ts';
import {
  decryptSetting,
  encryptSetting,
  encryptUrlSettings,
} from '../../settings/sealed-settings.ts';
import type { WebhookServiceConfigInput } from '../../settings/service-config.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { wakeQueues } from '../queues.ts';
import { requireReachable } from '../require-reachable.ts';
import type { UpdateWebhookConfigInput, WebhookConfig } from './schema.ts';

type Urls = Omit<WebhookServiceConfigInput, 'authToken'>;

interface WebhookRow {
  useWebhookService: boolean;
  config: Urls;
  sealedAuthToken: string | null;
}

const COLUMNS = sql`use_webhook_service AS "useWebhookService", webhook_service_config AS config,
  sealed_webhook_auth_token AS "sealedAuthToken"`;

/** Returns the settings of the key's basic webhooks (specification 4.24), with defaults (specification 2.4). */
export async function getWebhookConfig(ctx: KeyContext): Promise<WebhookConfig> {
  const rows = await ctx.db.query<WebhookRow>(sql`
    SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${ctx.tenantId}`);
  return present(ctx, requireSettingsRow(rows));
}

/**
 * Changes the given fields in one statement, so that concurrent updates both survive. Waiting
 * deliveries use the new settings.
 */
export async function updateWebhookConfig(
  ctx: KeyContext,
  { useWebhookService, webhookServiceConfig = {} }: UpdateWebhookConfigInput,
): Promise<WebhookConfig> {
  const { authToken, ...urls } = webhookServiceConfig;
  const changes = await withoutMaskedUrls(ctx, urls);
  for (const field of URL_FIELDS) {
    await requireReachable(ctx, `webhookServiceConfig.${field}`, changes[field]);
  }
  const config = encryptUrlSettings(ctx.secrets, ctx.tenantId, changes);
  const sealedToken = encryptSetting(ctx.secrets, ctx.tenantId, 'webhook_auth_token', authToken);
  const rows = await ctx.db.transaction(async (tx) => {
    await wakeQueues(ctx, tx);
    return tx.query<WebhookRow>(sql`
      UPDATE service_settings SET
        use_webhook_service = COALESCE(${useWebhookService}, use_webhook_service),
        webhook_service_config = webhook_service_config || ${config}::jsonb,
        sealed_webhook_auth_token = CASE WHEN ${authToken === undefined}
          THEN sealed_webhook_auth_token ELSE ${sealedToken} END
      WHERE tenant_id = ${ctx.tenantId}
      RETURNING ${COLUMNS}`);
  });
  return present(ctx, requireSettingsRow(rows));
}

const present = (ctx: KeyContext, { useWebhookService, config, sealedAuthToken }: WebhookRow) => ({
  useWebhookService,
  webhookServiceConfig: {
    rawNotificationUrl: maskedUrl(ctx, 'webhook_raw_url', config.rawNotificationUrl),
    processedNotificationUrl: maskedUrl(
      ctx,
      'webhook_processed_url',
      config.processedNotificationUrl,
    ),
    authToken: decryptSetting(ctx, ctx.tenantId, 'webhook_auth_token', sealedAuthToken),
  },
});

const maskedUrl = (
  ctx: KeyContext,
  setting: 'webhook_raw_url' | 'webhook_processed_url',
  stored: string | undefined,
): string => maskUrl(decryptSetting(ctx, ctx.tenantId, setting, stored));

const URL_FIELDS = ['rawNotificationUrl', 'processedNotificationUrl'] as const;

/** Drops URLs that equal the masked stored ones, so that clients can send back what they read. */
async function withoutMaskedUrls(ctx: KeyContext, urls: Urls): Promise<Urls> {
  const masked = URL_FIELDS.filter((field) => isMasked(urls[field] ?? ''));
  if (masked.length === 0) return urls;
  const { webhookServiceConfig } = await getWebhookConfig(ctx);
  const changed = masked.find((field) => urls[field] !== webhookServiceConfig[field]);
  if (changed) {
    throw invalidField(`webhookServiceConfig.${changed}`, 'is masked: give the whole address');
  }
  return { ...urls, ...Object.fromEntries(masked.map((field) => [field, undefined])) };
}
