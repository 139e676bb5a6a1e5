import type { KeyContext, Services } from '../../../api/context.ts';
import { type OwnQuotas, ownQuotas } from '../../../api/quotas/limits.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { decryptSetting, encryptSetting } from '../../settings/sealed-settings.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { DEFAULT_TRIGGERS, type Triggers } from '../../settings/triggers.ts';
import type { EmailConfig, UpdateEmailConfigInput } from './schema.ts';

type StoredConfig = Omit<EmailConfig['emailServiceConfig'], 'apiKey'>;

interface EmailRow {
  tenantId: string;
  useEmailService: boolean;
  config: Partial<StoredConfig>;
  sealedApiKey: string | null;
  triggers: Triggers;
  /** The domains of the API key. Links from its users may lead there. */
  allowedDomains: string[];
  quotas: OwnQuotas;
}

/** SQL: the columns of an `EmailRow`, from `service_settings` and the API key `k`. */
const COLUMNS = sql`tenant_id AS "tenantId", use_email_service AS "useEmailService",
  email_service_config AS config, sealed_email_api_key AS "sealedApiKey",
  email_triggers AS triggers, k.allowed_domains AS "allowedDomains", ${ownQuotas}`;

/** The values before anything is configured (specification 2.3). */
const DEFAULTS: StoredConfig = {
  type: 'default',
  fromEmail: '',
  fromCompany: '',
  commentTemplateId: '',
  tagTemplateId: '',
};

/** SQL: the API keys that use their email service. */
export const keysWithEmail = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */ WHERE use_email_service`;

/** The email service of an API key, with the defaults of specification 2.3. */
export type EmailService = ReturnType<typeof serviceOf>;

const serviceOf = (ctx: Services, { tenantId, config, sealedApiKey, ...row }: EmailRow) => ({
  ...row,
  config: { ...DEFAULTS, ...config },
  /** Decrypts the provider's key; returns an empty string if there is none. */
  decryptApiKey: () => decryptSetting(ctx, tenantId, 'email_api_key', sealedApiKey),
});

/** Reads the email services of those API keys that use one, with one statement. */
export async function loadUsedEmailServices(
  ctx: Services,
  db: Queryable,
  tenantIds: string[],
): Promise<Map<string, EmailService>> {
  const rows = await db.query<EmailRow>(sql`
    SELECT ${COLUMNS} FROM service_settings /* all tenants, background */
    JOIN api_keys k ON k.id = tenant_id
    WHERE tenant_id = ANY(${tenantIds}) AND use_email_service`);
  return new Map(rows.map((row) => [row.tenantId, serviceOf(ctx, row)]));
}

/** Returns the email service of the API key (specification 4.6). */
export async function getEmailConfig(ctx: KeyContext): Promise<EmailConfig> {
  const rows = await ctx.db.query<EmailRow>(sql`
    SELECT ${COLUMNS} FROM service_settings JOIN api_keys k ON k.id = tenant_id
    WHERE tenant_id = ${ctx.tenantId}`);
  return present(serviceOf(ctx, requireSettingsRow(rows)));
}

/**
 * Updates the given settings in one statement, so that concurrent updates keep each other's values. An
 * API key without email triggers gets the default ones when it enables the service, because no operation sets them.
 */
export async function updateEmailConfig(
  ctx: KeyContext,
  { useEmailService, emailServiceConfig = {} }: UpdateEmailConfigInput,
): Promise<EmailConfig> {
  const { apiKey, ...config } = emailServiceConfig;
  const sealedApiKey = encryptSetting(ctx.secrets, ctx.tenantId, 'email_api_key', apiKey);
  const rows = await ctx.db.write<EmailRow>(sql`
    UPDATE service_settings SET
      use_email_service = COALESCE(${useEmailService}, use_email_service),
      email_triggers = CASE WHEN ${useEmailService === true} AND email_triggers = '{}'
        THEN ${DEFAULT_TRIGGERS}::jsonb ELSE email_triggers END,
      email_service_config = email_service_config || ${config}::jsonb,
      sealed_email_api_key = CASE WHEN ${apiKey === undefined}
        THEN sealed_email_api_key ELSE ${sealedApiKey} END
    FROM api_keys k WHERE k.id = tenant_id AND tenant_id = ${ctx.tenantId}
    RETURNING ${COLUMNS}`);
  return present(serviceOf(ctx, requireSettingsRow(rows)));
}

const present = ({ useEmailService, config, decryptApiKey }: EmailService): EmailConfig => ({
  useEmailService,
  emailServiceConfig: { ...config, apiKey: decryptApiKey() },
});
