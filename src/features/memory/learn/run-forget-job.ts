import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import { forgetJob } from './forget-job.ts';

/** How many judgments go in one transaction, so that none takes long. */
const STEP = 1_000;

interface Gone {
  terms: string[];
  organizationTerms: string[];
}

/** Deletes step by step; run again, it goes on with what is left. */
export const forgetHandler = handleJob(
  forgetJob,
  async ({ db }: Services, { tenantId, organizationId, deletedMs }, signal) => {
    const step = () =>
      db.transaction(async (tx) => {
        const gone = await tx.query<Gone>(sql`
          DELETE FROM memory_judgments
          WHERE tenant_id = ${tenantId} AND record_id = ANY(ARRAY(
            SELECT record_id FROM memory_judgments
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
              AND recorded_ms <= ${deletedMs}::bigint
            LIMIT ${STEP}))
          RETURNING terms, organization_terms AS "organizationTerms"`);
        await discount(tx, tenantId, organizationId, gone);
        return gone.length;
      });
    while ((await step()) === STEP) signal.throwIfAborted();
  },
);

/** The words occur less often now. In the order of terms, as those who count them do it. */
async function discount(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
  gone: Gone[],
): Promise<void> {
  const all = [null, organizationId].map((place) => termKey(tenantId, place, ALL_WORDS));
  const counts = new Map<string, number>();
  for (const { terms, organizationTerms } of gone) {
    for (const term of [...all, ...terms, ...organizationTerms]) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  const keys = [...counts.keys()];
  await tx.query(sql`
    SELECT 1 FROM memory_terms WHERE tenant_id = ${tenantId} AND term = ANY(${keys}::bigint[])
    ORDER BY term FOR UPDATE`);
  await tx.query(sql`
    UPDATE memory_terms SET judgments = judgments - times
    FROM unnest(${keys}::bigint[], ${[...counts.values()]}::int[]) AS gone(key, times)
    WHERE tenant_id = ${tenantId} AND term = key`);
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${keys}::bigint[]) AND judgments <= 0`);
}
