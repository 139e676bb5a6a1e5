import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import type { EmailConfig, EmailServiceConfigInput, UpdateEmailConfigInput } from './schema.ts';
import { openSetting, sealSetting } from './sealed-settings.ts';
import { settingsRow } from './settings-row.ts';

type Context = Pick<KeyContext, 'db' | 'secrets' | 'log' | 'tenantId'>;

interface EmailRow {
  useEmailService: boolean;
  config: Omit<EmailServiceConfigInput, 'apiKey'>;
  sealedApiKey: string | null;
}

const COLUMNS = sql`use_email_service AS "useEmailService", email_service_config AS config,
  sealed_email_api_key AS "sealedApiKey"`;

/** The e-mail service of the key, with the defaults of 2.3 where nothing was configured (4.6). */
export async function getEmailConfig(ctx: Context): Promise<EmailConfig> {
  const rows = await ctx.db.query<EmailRow>(sql`
    SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${ctx.tenantId}`);
  return present(ctx, settingsRow(rows));
}

/** Changes what is given. One statement, so that two updates at once both survive. */
export async function updateEmailConfig(
  ctx: Context,
  { useEmailService, emailServiceConfig = {} }: UpdateEmailConfigInput,
): Promise<EmailConfig> {
  const { apiKey, ...config } = emailServiceConfig;
  const sealedApiKey = sealSetting(ctx.secrets, ctx.tenantId, 'email_api_key', apiKey);
  const rows = await ctx.db.query<EmailRow>(sql`
    UPDATE service_settings SET
      use_email_service = COALESCE(${useEmailService}, use_email_service),
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
    type: 'default' as const,
    fromEmail: '',
    fromCompany: '',
    commentTemplateId: '',
    tagTemplateId: '',
    ...config,
    apiKey: openSetting(ctx, ctx.tenantId, 'email_api_key', sealedApiKey),
  },
});
