import type { WorkspaceContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { encryptSetting, encryptUrlSettings } from '../settings/sealed-settings.ts';
import { DEFAULT_TRIGGERS } from '../settings/triggers.ts';
import { addAuthToken } from './auth-tokens.ts';
import { DEFAULT_PERSISTENCE_REGION, DEFAULT_REALTIME_REGION } from './regions.ts';
import type { CreateApiKeyInput } from './schema.ts';

export function createApiKey(
  ctx: WorkspaceContext,
  input: CreateApiKeyInput,
): Promise<{ apiKey: string }> {
  return ctx.db.transaction(async (tx) => {
    if (input.type === 'production') await requireProductionKeyAllowed(ctx, tx);
    const { apiKey } = await addKey(ctx, tx, input);
    return { apiKey };
  });
}

type Owner = Pick<WorkspaceContext, 'secrets' | 'workspaceId'>;

/** Stores a new key with its service settings, and with an auth token if one was requested. */
export async function addKey(owner: Owner, tx: Transaction, input: CreateApiKeyInput) {
  const apiKey = newId();
  await insertKeyRow(owner, tx, apiKey, input);
  await insertServiceSettings(owner, tx, apiKey, input);
  const authToken = input.createAuthToken ? await addAuthToken(owner, tx, apiKey) : undefined;
  return { apiKey, authToken };
}

/**
 * Requires that the workspace may create another production key. A lock on its row serializes
 * concurrent calls.
 *
 * @throws PERMISSION_DENIED, FAILED_PRECONDITION, RESOURCE_EXHAUSTED, in this order.
 */
async function requireProductionKeyAllowed(ctx: WorkspaceContext, tx: Transaction): Promise<void> {
  const [workspace] = await tx.query<{ plan: string; selfServe: boolean; max: number | null }>(sql`
    SELECT plan, self_serve_production_keys AS "selfServe", max_production_keys AS max
    FROM workspaces WHERE id = ${ctx.workspaceId} FOR UPDATE`);
  if (!workspace?.selfServe) {
    throw new AppError('PERMISSION_DENIED', 'This workspace may not create production keys.');
  }
  if (workspace.plan !== 'paid') {
    throw new AppError('FAILED_PRECONDITION', 'Production keys need a paid plan.');
  }
  const [keys] = await tx.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM api_keys
    WHERE workspace_id = ${ctx.workspaceId} AND type = 'production'`);
  const max = workspace.max ?? ctx.config.maxProductionKeys;
  if ((keys?.count ?? 0) < max) return;
  throw new AppError(
    'RESOURCE_EXHAUSTED',
    `The workspace may have at most ${max} production keys.`,
  );
}

async function insertKeyRow(
  { workspaceId }: Owner,
  tx: Transaction,
  apiKey: string,
  input: CreateApiKeyInput,
): Promise<void> {
  const domains = new Set(input.allowedDomains);
  if (input.addLocalHostToAllowedDomains) domains.add('localhost');
  const persistenceRegion =
    input.type === 'production' ? (input.persistenceDBRegion ?? DEFAULT_PERSISTENCE_REGION) : null;
  await tx.query(sql`
    INSERT INTO api_keys (id, workspace_id, name, type, owner_email, persistence_db_region,
      realtime_db_region, allowed_domains, enable_private_comments, require_auto_org_user,
      allow_user_rewrites)
    VALUES (${apiKey}, ${workspaceId}, ${input.apiKeyName}, ${input.type}, ${input.ownerEmail},
      ${persistenceRegion}, ${input.realtimeDBRegion ?? DEFAULT_REALTIME_REGION}, ${[...domains]},
      ${input.enablePrivateComments}, ${input.requireAutoOrgUser}, ${input.allowUserRewrites})`);
}

/**
 * Stores the settings of a new key (specification 4.1). Each secret is encrypted for its own row and
 * column.
 */
async function insertServiceSettings(
  { secrets }: Owner,
  tx: Transaction,
  apiKey: string,
  input: CreateApiKeyInput,
): Promise<void> {
  const { apiKey: emailApiKey, ...emailConfig } = input.emailServiceConfig;
  const { authToken, ...urls } = input.webhookServiceConfig;
  const webhookConfig = encryptUrlSettings(secrets, apiKey, urls);
  const sealedEmailApiKey = encryptSetting(secrets, apiKey, 'email_api_key', emailApiKey);
  const sealedAuthToken = encryptSetting(secrets, apiKey, 'webhook_auth_token', authToken);
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
