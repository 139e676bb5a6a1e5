import type { KeyContext } from '../../../api/context.ts';
import type { AccessType } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { mask } from '../../models/mask.ts';
import { readProviderKeys, writeProviderKeys } from '../../models/provider-keys.ts';
import { settingsRow } from '../../settings/settings-row.ts';
import type { ApiKeyConfig, UpdateApiKeyConfigInput } from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'secrets' | 'log' | 'tenantId' | 'key'>;
type ProviderKeys = Awaited<ReturnType<typeof readProviderKeys>>;

interface KeyRow extends Omit<ApiKeyConfig, 'aiModelApiKey' | 'defaultDocumentAccessType'> {
  defaultDocumentAccessType: AccessType | null;
}

const COLUMNS = sql`enable_private_comments AS "enablePrivateComments",
  require_auto_org_user AS "requireAutoOrgUser", advanced_queries AS "advancedQueries",
  default_document_access_type AS "defaultDocumentAccessType",
  default_access_role AS "defaultAccessRole", allow_user_rewrites AS "allowUserRewrites",
  require_attachment_approval AS "requireAttachmentApproval", comment_access AS "commentAccess"`;

/** Returns the switches of the key, and the masked keys of model providers of its workspace. */
export async function getApiKeyConfig(ctx: Context): Promise<ApiKeyConfig> {
  const rows = await ctx.db.query<KeyRow>(sql`
    SELECT ${COLUMNS} FROM api_keys WHERE id = ${ctx.tenantId}`);
  return present(settingsRow(rows), await readProviderKeys(ctx, ctx.db));
}

/** Updates the given settings. */
export function updateApiKeyConfig(
  ctx: Context,
  { aiModelApiKey, ...change }: UpdateApiKeyConfigInput,
): Promise<ApiKeyConfig> {
  return ctx.db.transaction(async (tx) => {
    const row = await updateKey(ctx, tx, change);
    if (aiModelApiKey) await writeProviderKeys(ctx, tx, aiModelApiKey);
    return present(row, await readProviderKeys(ctx, tx));
  });
}

async function updateKey(
  { tenantId }: Context,
  tx: Transaction,
  change: Omit<UpdateApiKeyConfigInput, 'aiModelApiKey'>,
): Promise<KeyRow> {
  const rows = await tx.query<KeyRow>(sql`
    UPDATE api_keys SET
      enable_private_comments = COALESCE(${change.enablePrivateComments}, enable_private_comments),
      require_auto_org_user = COALESCE(${change.requireAutoOrgUser}, require_auto_org_user),
      advanced_queries = COALESCE(${change.advancedQueries}, advanced_queries),
      default_document_access_type =
        COALESCE(${change.defaultDocumentAccessType}, default_document_access_type),
      default_access_role = COALESCE(${change.defaultAccessRole}, default_access_role),
      allow_user_rewrites = COALESCE(${change.allowUserRewrites}, allow_user_rewrites),
      comment_access = COALESCE(${change.commentAccess}, comment_access),
      require_attachment_approval =
        COALESCE(${change.requireAttachmentApproval}, require_attachment_approval)
    WHERE id = ${tenantId}
    RETURNING ${COLUMNS}`);
  return settingsRow(rows);
}

const present = (row: KeyRow, providerKeys: ProviderKeys): ApiKeyConfig => ({
  ...row,
  defaultDocumentAccessType: row.defaultDocumentAccessType ?? 'public',
  aiModelApiKey: providerKeys.map(({ provider, key }) => ({
    provider,
    customerApiKey: mask(key ?? ''),
  })),
});
