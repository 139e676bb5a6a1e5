import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from '../judgments/count-terms.ts';
import { forgetJob } from './forget-job.ts';

/** How many judgments one transaction deletes, so that none takes long. */
const STEP = 1_000;

/** Deletes step by step. A job that runs again continues with the remaining judgments. */
export const forgetHandler = handleJob(
  forgetJob,
  async ({ db }: Services, { tenantId, organizationId, deletedMs }, signal) => {
    const step = () =>
      db.transaction(async (tx) => {
        const gone = await tx.query<IndexedJudgment>(sql`
          DELETE FROM memory_judgments
          WHERE tenant_id = ${tenantId} AND record_id = ANY(ARRAY(
            SELECT record_id FROM memory_judgments
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
              AND recorded_ms <= ${deletedMs}::bigint
            LIMIT ${STEP}))
          RETURNING ${indexedColumns}`);
        await countTerms(tx, tenantId, [], gone);
        return gone.length;
      });
    while ((await step()) === STEP) signal.throwIfAborted();
  },
);
