import type { KeyContext } from '../../../api/context.ts';
import { type OwnQuotas, ownQuotas } from '../../../api/quotas/limits.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { openSetting, sealSetting } from '../../settings/sealed-settings.ts';
import type { EmailServiceConfigInput } from '../../settings/service-config.ts';
import { settingsRow } from '../../settings/settings-row.ts';
import { DEFAULT_TRIGGERS, type Triggers } from '../../settings/triggers.ts';
import type { EmailConfig, UpdateEmailConfigInput } from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'secrets' | 'log' | 'tenantId'>;

interface EmailRow {
  useEmailService: boolean;
  config: Omit<EmailServiceConfigInput, 'apiKey'>;
  sealedApiKey: string | null;
}

const COLUMNS = sql`use_email_service AS "useEmailService", email_service_config AS config,
  sealed_email_api_key AS "sealedApiKey"`;

/** The values before anything is configured (2.3). */
const DEFAULTS = {
  type: 'default' as const,
  fromEmail: '',
  fromCompany: '',
  commentTemplateId: '',
  tagTemplateId: '',
};

/** Returns the e-mail service of the key, with the defaults of 2.3 (4.6). */
export async function getEmailConfig(ctx: Context): Promise<EmailConfig> {
  const rows = await ctx.db.query<EmailRow>(sql`
    SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${ctx.tenantId}`);
  return present(ctx, settingsRow(rows));
}

/** SQL for the keys that use their e-mail service. */
export const mailingKeys = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */ WHERE use_email_service`;

/** The e-mail service of a key that uses it, with its enabled triggers. */
export interface EmailService {
  config: Omit<EmailConfig['emailServiceConfig'], 'apiKey'>;
  triggers: Triggers;
  /** The domains of the key, to which links of its users may lead. */
  allowedDomains: string[];
  quotas: OwnQuotas;
  /** Decrypts the provider's key; empty when there is none. */
  openApiKey(): string;
}

/** Reads the services of all these keys that use theirs, in one statement. */
export async function usedEmailServices(
  ctx: Pick<Context, 'secrets' | 'log'>,
  db: Queryable,
  tenantIds: string[],
): Promise<Map<string, EmailService>> {
  type Row = EmailRow &
    Pick<EmailService, 'triggers' | 'allowedDomains' | 'quotas'> & {
      tenantId: string;
    };
  const rows = await db.query<Row>(sql`
    SELECT tenant_id AS "tenantId", ${COLUMNS}, email_triggers AS triggers,
      k.allowed_domains AS "allowedDomains", ${ownQuotas}
    FROM service_settings /* all tenants, background */ JOIN api_keys k ON k.id = tenant_id
    WHERE tenant_id = ANY(${tenantIds}) AND use_email_service`);
  return new Map(
    rows.map(({ tenantId, config, sealedApiKey, useEmailService: _, ...service }) => {
      const openApiKey = () => openSetting(ctx, tenantId, 'email_api_key', sealedApiKey);
      return [tenantId, { ...service, config: { ...DEFAULTS, ...config }, openApiKey }];
    }),
  );
}

/**
 * Updates the given settings in one statement, so that concurrent updates are both kept. A key
 * without triggers gets the defaults when it enables the service, since nothing else could set
 * them.
 */
export async function updateEmailConfig(
  ctx: Context,
  { useEmailService, emailServiceConfig = {} }: UpdateEmailConfigInput,
): Promise<EmailConfig> {
  const { apiKey, ...config } = emailServiceConfig;
  const sealedApiKey = sealSetting(ctx.secrets, ctx.tenantId, 'email_api_key', apiKey);
  const rows = await ctx.db.write<EmailRow>(sql`
    UPDATE service_settings SET
      use_email_service = COALESCE(${useEmailService}, use_email_service),
      email_triggers = CASE WHEN ${useEmailService === true} AND email_triggers = '{}'
        THEN ${DEFAULT_TRIGGERS}::jsonb ELSE email_triggers END,
      email_service_config = email_service_config || ${config}::jsonb,
      sealed_email_api_key = CASE WHEN ${apiKey === undefined}
        THEN sealed_email_api_key ELSE ${sealedApiKey} END
    WHERE tenant_id = ${ctx.tenantId}
    RETURNING ${COLUMNS}`);
  return present(ctx, settingsRow(rows));
}

const present = (ctx: Context, { useEmailService, config, sealedApiKey }: EmailRow) => ({
  useEmailService,
  emailServiceConfig: {
    ...DEFAULTS,
    ...config,
    apiKey: openSetting(ctx, ctx.tenantId, 'email_api_key', sealedApiKey),
  },
});
