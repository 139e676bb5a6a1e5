import type { Services } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { sealSetting, sealUrlSettings } from '../settings/sealed-settings.ts';
import { DEFAULT_TRIGGERS } from '../settings/triggers.ts';
import type { CreateApiKeyInput } from './schema.ts';

/** Stores the settings of a new key (4.1). Each secret is encrypted for its own row and column. */
export async function insertServiceSettings(
  { secrets }: Pick<Services, 'secrets'>,
  tx: Transaction,
  apiKey: string,
  input: CreateApiKeyInput,
): Promise<void> {
  const { apiKey: emailApiKey, ...emailConfig } = input.emailServiceConfig;
  const { authToken, ...urls } = input.webhookServiceConfig;
  const webhookConfig = sealUrlSettings(secrets, apiKey, urls);
  const sealedEmailApiKey = sealSetting(secrets, apiKey, 'email_api_key', emailApiKey);
  const sealedAuthToken = sealSetting(secrets, apiKey, 'webhook_auth_token', authToken);
  const emailTriggers =
    input.useEmailService && input.setDefaultEmailTriggers ? DEFAULT_TRIGGERS : {};
  const notificationTriggers =
    input.useNotificationService && input.setDefaultNotificationTriggers ? DEFAULT_TRIGGERS : {};
  await tx.query(sql`
    INSERT INTO service_settings (tenant_id,
      use_email_service, email_service_config, sealed_email_api_key, email_triggers,
      use_webhook_service, webhook_service_config, sealed_webhook_auth_token,
      use_notification_service, notification_triggers)
    VALUES (${apiKey},
      ${input.useEmailService}, ${emailConfig}, ${sealedEmailApiKey}, ${emailTriggers},
      ${input.useWebhookService}, ${webhookConfig}, ${sealedAuthToken},
      ${input.useNotificationService}, ${notificationTriggers})`);
}
