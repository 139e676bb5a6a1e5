import type { KeyContext } from '../../../api/context.ts';
import type { AccessType } from '../../../api/fields.ts';
import { columnOf, columnsOf } from '../../../platform/database/columns.ts';
import { join, sql, type Transaction } from '../../../platform/database/database.ts';
import { mask, readProviderKeys, writeProviderKeys } from '../../models/provider-keys.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { type ApiKeyConfig, keyFields, type UpdateApiKeyConfigInput } from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'secrets' | 'log' | 'tenantId' | 'key'>;
type ProviderKeys = Awaited<ReturnType<typeof readProviderKeys>>;

interface KeyRow extends Omit<ApiKeyConfig, 'aiModelApiKey' | 'defaultDocumentAccessType'> {
  defaultDocumentAccessType: AccessType | null;
}

const FIELDS = Object.keys(keyFields) as Array<keyof typeof keyFields>;

/** Returns the settings of the API key, and the masked model provider keys of its workspace. */
export async function getApiKeyConfig(ctx: Context): Promise<ApiKeyConfig> {
  const rows = await ctx.db.query<KeyRow>(sql`
    SELECT ${columnsOf(FIELDS)} FROM api_keys WHERE id = ${ctx.tenantId}`);
  return present(requireSettingsRow(rows), await readProviderKeys(ctx, ctx.db));
}

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
      ${join(FIELDS.map((field) => sql`${columnOf(field)} = COALESCE(${change[field]}, ${columnOf(field)})`))}
    WHERE id = ${tenantId}
    RETURNING ${columnsOf(FIELDS)}`);
  return requireSettingsRow(rows);
}

const present = (row: KeyRow, providerKeys: ProviderKeys): ApiKeyConfig => ({
  ...row,
  defaultDocumentAccessType: row.defaultDocumentAccessType ?? 'public',
  // A key that cannot be decrypted is masked completely, like a short one.
  aiModelApiKey: providerKeys.map(({ provider, key }) => ({
    provider,
    customerApiKey: mask(key ?? ''),
  })),
});
