import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { DAY_MS } from './detect/finding.ts';
import { raiseAlerts } from './raise-alerts.ts';

type Context = Pick<Services, 'db' | 'clock' | 'events' | 'log'>;

/** How often a tenant's judgments are checked, and the pause after a failure. */
const INTERVAL_MS = DAY_MS;
const RETRY_MS = DAY_MS / 24;

/** Checks the judgments of every due tenant, one after the other. */
export async function checkJudgments(ctx: Context): Promise<void> {
  while (await checkNext(ctx));
}

/** Locks the tenant's row, so that only one process checks a tenant at a time. */
async function checkNext({ db, clock, events, log }: Context): Promise<boolean> {
  const now = clock.now();
  let checking: string | undefined;
  try {
    return await db.transaction(async (tx) => {
      const [watch] = await tx.query<{ tenantId: string }>(sql`
        SELECT tenant_id AS "tenantId" FROM memory_watches /* all tenants, background */
        WHERE due_ms <= ${now}::bigint ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED`);
      if (!watch) return false;
      checking = watch.tenantId;
      await tx.query(dueAt(watch.tenantId, now + INTERVAL_MS));
      await raiseAlerts({ events, tenantId: watch.tenantId }, tx, now);
      return true;
    });
  } catch (error) {
    if (checking === undefined) throw error;
    log.warn({ err: error, apiKey: checking }, 'Judgments could not be checked.');
    // Postpone this tenant, so that its failure does not keep the others waiting.
    await db.query(dueAt(checking, now + RETRY_MS));
    return true;
  }
}

const dueAt = (tenantId: string, dueMs: number) => sql`
  UPDATE memory_watches SET due_ms = ${dueMs}::bigint WHERE tenant_id = ${tenantId}`;
