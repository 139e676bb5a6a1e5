import type { Services } from '../../../api/context.ts';
import { type OwnQuotas, ownQuotas } from '../../../api/quotas/limits.ts';
import { sql } from '../../../platform/database/database.ts';
import { embedTexts } from './embed-texts.ts';
import { EMBEDDING_MODELS } from './embedding-models.ts';
import { logFailure } from './log-failure.ts';
import { BATCH, judgmentsWithoutVector, nextWalkedTo, storeVectors } from './missing-vectors.ts';
import type { EmbeddingProvider } from './schema.ts';

/** Longer than a step can take, so that no other process repeats it meanwhile. */
const LEASE_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** The pauses before the next step: after a full batch, after a smaller one, after a failure. */
const MORE_MS = 1_000;
const INTERVAL_MS = 30_000;
const RETRY_MS = 60_000;

interface Due {
  tenantId: string;
  workspaceId: string;
  quotas: OwnQuotas;
  provider: EmbeddingProvider;
  walkedTo: string;
}

/** SQL: when the next key is due. */
export const nextEmbeddingDue = () => sql`SELECT min(due_ms) FROM memory_configs`;

/** Makes vectors of judgments that have none, for every key that is due. */
export async function computeEmbeddings(ctx: Services): Promise<void> {
  while (!ctx.modelCalls.stopped.aborted) {
    const due = await claimNext(ctx);
    if (!due) return;
    await embedSome(ctx, due);
  }
}

/** Takes a lease instead of a lock, so that no transaction stays open during a provider call. */
async function claimNext({ db, clock }: Services): Promise<Due | undefined> {
  const now = clock.now();
  const [due] = await db.query<Due>(sql`
    UPDATE memory_configs SET due_ms = ${now + LEASE_MS}::bigint
    FROM api_keys k
    WHERE k.id = memory_configs.tenant_id AND memory_configs.tenant_id = (
      SELECT tenant_id FROM memory_configs /* all tenants, background */
      WHERE due_ms <= ${now}::bigint ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING memory_configs.tenant_id AS "tenantId", k.workspace_id AS "workspaceId",
      ${ownQuotas},
      embeddings_provider AS provider, walked_to AS "walkedTo"`);
  return due;
}

async function embedSome(services: Services, due: Due): Promise<void> {
  const { tenantId, provider, walkedTo } = due;
  const ctx = { ...services, tenantId, key: { workspaceId: due.workspaceId, quotas: due.quotas } };
  const model = EMBEDDING_MODELS[provider].name;
  const judgments = await judgmentsWithoutVector(ctx, model, walkedTo);
  if (judgments.length > 0) {
    const texts = judgments.map(({ query }) => query);
    const vectors = await embedTexts(ctx, { provider, texts, timeoutMs: TIMEOUT_MS });
    if (!Array.isArray(vectors)) {
      await logFailure(ctx, provider, vectors);
      return goOn(ctx, RETRY_MS, walkedTo);
    }
    await storeVectors(ctx, model, judgments, vectors);
  }
  if (judgments.length === BATCH) return goOn(ctx, MORE_MS, walkedTo);
  await goOn(ctx, INTERVAL_MS, await nextWalkedTo(ctx, walkedTo));
}

/** Schedules the next step, unless embeddings were turned off meanwhile. */
async function goOn(
  { db, clock, tenantId }: Services & { tenantId: string },
  waitMs: number,
  walkedTo: string,
): Promise<void> {
  await db.query(sql`
    UPDATE memory_configs SET due_ms = ${clock.now() + waitMs}::bigint, walked_to = ${walkedTo}
    WHERE tenant_id = ${tenantId} AND due_ms IS NOT NULL`);
}
