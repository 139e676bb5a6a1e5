import type { Services } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { CreateApiKeyInput } from './schema.ts';
import { DEFAULT_TRIGGERS } from './triggers.ts';

/**
 * Stores what the key's services are set to. The provider's key and the webhook token are sealed,
 * each for its own column.
 */
export async function insertServiceSettings(
  { secrets }: Pick<Services, 'secrets'>,
  tx: Transaction,
  apiKey: string,
  input: CreateApiKeyInput,
): Promise<void> {
  const { apiKey: emailApiKey, ...emailConfig } = input.emailServiceConfig;
  const { authToken, ...webhookConfig } = input.webhookServiceConfig;
  const seal = (secret: string | undefined, column: string) =>
    secret ? secrets.seal(secret, `service_settings/${apiKey}/${column}`) : null;
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
      ${input.useEmailService}, ${emailConfig}, ${seal(emailApiKey, 'email_api_key')}, ${emailTriggers},
      ${input.useWebhookService}, ${webhookConfig}, ${seal(authToken, 'webhook_auth_token')},
      ${input.useNotificationService}, ${notificationTriggers})`);
}
