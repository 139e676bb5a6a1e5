import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { sentenceFor } from '../../models/problems.ts';
import { readProviderKey } from '../../models/provider-keys.ts';
import type { EmbeddingProvider, MemoryConfig, UpdateMemoryConfigInput } from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'clock' | 'secrets' | 'log' | 'key' | 'tenantId'>;

const DEFAULTS: MemoryConfig['embeddings'] = { isEnabled: false, provider: 'openai' };

/** Returns the memory configuration of a key, or the defaults. */
export async function getMemoryConfig({
  db,
  tenantId,
}: {
  db: Queryable;
  tenantId: string;
}): Promise<MemoryConfig> {
  const [row = DEFAULTS] = await db.query<MemoryConfig['embeddings']>(sql`
    SELECT embeddings_enabled AS "isEnabled", embeddings_provider AS provider
    FROM memory_configs WHERE tenant_id = ${tenantId}`);
  return { embeddings: row };
}

/**
 * Changes the given fields, and schedules the missing vectors at once.
 *
 * @throws FAILED_PRECONDITION when the workspace has no key of the provider that is turned on
 */
export function updateMemoryConfig(
  ctx: Context,
  { embeddings: change }: UpdateMemoryConfigInput,
): Promise<MemoryConfig> {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx.query<MemoryConfig['embeddings']>(sql`
      INSERT INTO memory_configs AS config (tenant_id, embeddings_enabled, embeddings_provider)
      VALUES (${tenantId}, COALESCE(${change.isEnabled}::boolean, ${DEFAULTS.isEnabled}),
        COALESCE(${change.provider}::text, ${DEFAULTS.provider}))
      ON CONFLICT (tenant_id) DO UPDATE SET
        embeddings_enabled = COALESCE(${change.isEnabled}::boolean, config.embeddings_enabled),
        embeddings_provider = COALESCE(${change.provider}::text, config.embeddings_provider)
      RETURNING embeddings_enabled AS "isEnabled", embeddings_provider AS provider`);
    const embeddings = row ?? DEFAULTS;
    if (embeddings.isEnabled) await requireProviderKey(ctx, tx, embeddings.provider);
    await tx.query(sql`
      UPDATE memory_configs SET walked_to = '', logged_ms = 0,
        due_ms = CASE WHEN embeddings_enabled THEN ${ctx.clock.now()}::bigint END
      WHERE tenant_id = ${tenantId}`);
    return { embeddings };
  });
}

async function requireProviderKey(
  ctx: Context,
  db: Queryable,
  provider: EmbeddingProvider,
): Promise<void> {
  const stored = await readProviderKey(ctx, db, provider);
  if (stored?.key !== undefined) return;
  const problem = stored ? 'key_unreadable' : 'no_key';
  throw new AppError('FAILED_PRECONDITION', sentenceFor(problem, provider));
}
