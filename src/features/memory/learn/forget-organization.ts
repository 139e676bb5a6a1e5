import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from '../judgments/count-terms.ts';

const payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** When the organization was deleted. Later judgments belong to a new one with the same id. */
  deletedMs: z.number(),
});
type Forgotten = z.infer<typeof payload>;

/** Deletes the judgments of a deleted organization. */
export const forgetJob: Job<Forgotten> = {
  name: 'memory.forget',
  payload,
  keyOf: ({ tenantId, organizationId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, deletedMs]),
};

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
