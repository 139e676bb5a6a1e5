import { sql } from '../../../platform/database/database.ts';
import type { EmbedContext, EmbeddingFailure } from './embed-texts.ts';
import type { EmbeddingProvider } from './schema.ts';

/** The shortest time between two warnings about one key, across all processes. */
const INTERVAL_MS = 5 * 60_000;

/** Logs a failure for the operator. The caller gets results that are found by words alone. */
export async function logFailure(
  { db, clock, log, tenantId }: EmbedContext,
  provider: EmbeddingProvider,
  failure: EmbeddingFailure,
): Promise<void> {
  const now = clock.now();
  const claimed = await db.query(sql`
    UPDATE memory_configs SET logged_ms = ${now}::bigint
    WHERE tenant_id = ${tenantId} AND logged_ms <= ${now - INTERVAL_MS}::bigint
    RETURNING tenant_id`);
  if (claimed.length === 0) return;
  log.warn({ apiKey: tenantId, provider, ...failure }, 'A model provider gave no embeddings.');
}
