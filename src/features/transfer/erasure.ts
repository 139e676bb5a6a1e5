import { sql } from '../../platform/database/database.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';
import { RetryLater } from '../../platform/jobs/job.ts';

/** How long an erasure waits before it looks again whether imports have ended. */
const PAUSE_MS = 5_000;

/**
 * Waits for the imports that were requested before the erasure. The rows of an import become visible only at its
 * end, so only the second round of steps finds those that name the users.
 */
export const awaitImports: ErasureStep = {
  name: 'awaitedImports',
  onlyOnce: true,
  async run({ tenantId, clock }, tx, [begunAt]) {
    if (begunAt === undefined) return { counts: {}, next: [new Date(clock.now()).toISOString()] };
    const [unfinished] = await tx.query(sql`
      SELECT 1 FROM transfers
      WHERE tenant_id = ${tenantId} AND kind = 'import' AND state IN ('waiting', 'running')
        AND created_at <= ${begunAt}::timestamptz LIMIT 1`);
    if (unfinished) throw new RetryLater(PAUSE_MS);
    return { counts: {}, next: undefined };
  },
};
