import type { RequestContext } from '../../api/context.ts';
import { limitsOf, type OwnQuotas, ownQuotas } from '../../api/quotas/limits.ts';
import { readUsage } from '../../api/quotas/usage-rows.ts';
import { join, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { PresentedQuotas, UpdateQuotasInput } from './schema.ts';

type Context = Pick<RequestContext, 'db' | 'clock' | 'quotas'>;

/** @throws NOT_FOUND */
export async function getQuotas(ctx: Context, apiKey: string): Promise<PresentedQuotas> {
  const [key] = await ctx.db.query<{ quotas: OwnQuotas }>(sql`
    SELECT ${ownQuotas} FROM api_keys k WHERE k.id = ${apiKey}`);
  return present(ctx, apiKey, quotasOf(key));
}

/**
 * Sets the given quotas; null restores the default. This takes one statement, so that concurrent updates both survive.
 *
 * @throws NOT_FOUND
 */
export async function updateQuotas(
  ctx: Context,
  { apiKey, ...change }: UpdateQuotasInput,
): Promise<PresentedQuotas> {
  const assignments = QUOTA_COLUMNS.map(([name, column]) => {
    const quota = change[name];
    return sql`${column} = CASE WHEN ${quota !== undefined}
      THEN ${quota ?? null}::bigint ELSE k.${column} END`;
  });
  const [key] = await ctx.db.write<{ quotas: OwnQuotas }>(sql`
    UPDATE api_keys k SET ${join(assignments)} WHERE k.id = ${apiKey} RETURNING ${ownQuotas}`);
  return present(ctx, apiKey, quotasOf(key));
}

const QUOTA_COLUMNS = [
  ['storageBytes', sql`quota_storage_bytes`],
  ['mailsPerDay', sql`quota_mails_per_day`],
  ['modelTokensPerDay', sql`quota_model_tokens_per_day`],
] as const;

/** @throws NOT_FOUND when there is no such key */
function quotasOf(key: { quotas: OwnQuotas } | undefined): OwnQuotas {
  if (!key) throw new AppError('NOT_FOUND', 'The API key does not exist.');
  return key.quotas;
}

async function present(ctx: Context, apiKey: string, own: OwnQuotas): Promise<PresentedQuotas> {
  const limits = limitsOf(ctx.quotas.defaults, own) ?? {};
  const used = await readUsage(ctx.db, apiKey, ctx.clock.now());
  const quota = (limit: number | undefined, ownLimit: number | null, usage: number) => ({
    limit: limit ?? null,
    isDefault: ownLimit === null,
    used: limit === undefined ? null : usage,
  });
  return {
    apiKey,
    storageBytes: quota(limits.storage, own.storageBytes, used.storage),
    mailsPerDay: quota(limits.mails, own.mailsPerDay, used.mails),
    modelTokensPerDay: quota(limits['model-tokens'], own.modelTokensPerDay, used['model-tokens']),
  };
}
