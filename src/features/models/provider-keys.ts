import { lastOfEach } from '../../api/batches.ts';
import type { Services } from '../../api/context.ts';
import { type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import type { SealedColumn } from '../../platform/secrets.ts';
import { decryptIfPossible } from '../settings/sealed-settings.ts';
import type { ModelProvider, ProviderKeyInput } from './schema.ts';

type Context = Pick<Services, 'secrets' | 'log'> & { key: { workspaceId: string } };

const storageAddress = (workspaceId: string, provider: string) =>
  `model_provider_keys/${workspaceId}/${provider}`;

export const SEALED_PROVIDER_KEY: SealedColumn = {
  table: 'model_provider_keys',
  column: 'sealed_key',
  key: ['workspace_id', 'provider'],
  storageAddress: (workspaceId, provider) => storageAddress(String(workspaceId), String(provider)),
};

/**
 * Reads the workspace's keys of all model providers, or of one provider. They serve all API keys of the
 * workspace (specification 4.9). A key that cannot be decrypted is undefined.
 */
export async function readProviderKeys(
  ctx: Context,
  db: Queryable,
  only: ModelProvider | null = null,
): Promise<Array<{ provider: ModelProvider; key: string | undefined }>> {
  const { workspaceId } = ctx.key;
  const rows = await db.query<{ provider: ModelProvider; sealedKey: string }>(sql`
    SELECT provider, sealed_key AS "sealedKey" FROM model_provider_keys
    WHERE workspace_id = ${workspaceId} AND (${only}::text IS NULL OR provider = ${only})
    ORDER BY provider`);
  return rows.map(({ provider, sealedKey }) => ({
    provider,
    key: decryptIfPossible(ctx, sealedKey, storageAddress(workspaceId, provider)),
  }));
}

/** Stores keys, each encrypted for its own row, and deletes those whose new value is empty. */
export async function writeProviderKeys(
  ctx: Context,
  tx: Transaction,
  input: ProviderKeyInput[],
): Promise<void> {
  const { workspaceId } = ctx.key;
  const keys = lastOfEach(input, ({ provider }) => provider);
  const rows = keys
    .filter(({ customerApiKey }) => customerApiKey !== '')
    .map(({ provider, customerApiKey }) => ({
      provider,
      sealed_key: ctx.secrets.seal(customerApiKey, storageAddress(workspaceId, provider)),
    }));
  const removed = keys.filter(({ customerApiKey }) => customerApiKey === '');
  await tx.query(sql`
    INSERT INTO model_provider_keys (workspace_id, provider, sealed_key)
    SELECT ${workspaceId}, provider, sealed_key
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS input(provider text, sealed_key text)
    ORDER BY provider
    ON CONFLICT (workspace_id, provider) DO UPDATE
      SET sealed_key = excluded.sealed_key, updated_at = now()`);
  await tx.query(sql`
    DELETE FROM model_provider_keys
    WHERE workspace_id = ${workspaceId}
      AND provider = ANY(${removed.map(({ provider }) => provider)})`);
}

/** In a secret of this length or more, showing four characters does not help to guess the others. */
const MIN_MASKED_LENGTH = 20;

/**
 * Masks a secret for display: `sk-…a1b2`, the common prefix of a vendor's keys and the last four
 * characters. A short secret is hidden completely, including its length.
 */
export function mask(secret: string): string {
  if (secret.length < MIN_MASKED_LENGTH) return '…';
  const prefix = secret.startsWith('sk-') ? 'sk-' : '';
  return `${prefix}…${secret.slice(-4)}`;
}
