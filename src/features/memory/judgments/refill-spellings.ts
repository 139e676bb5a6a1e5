import { type Database, sql } from '../../../platform/database/database.ts';
import { countSpellings } from './count-terms.ts';

/** Judgments that one transaction counts. */
const STEP = 200;

/**
 * Counts the spellings of judgments that an earlier version recorded, whose migration emptied the
 * table (memory_spellings_refills). Each judgment is counted once, whichever process does it.
 */
export async function refillSpellings({ db }: { db: Database }): Promise<void> {
  while (await refillStep(db));
}

/** @returns whether there may be more */
function refillStep(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [refill] = await tx.query<{ tenantId: string; recordedMs: string; walkedTo: string }>(sql`
      SELECT tenant_id AS "tenantId", recorded_ms::text AS "recordedMs", walked_to AS "walkedTo"
      FROM memory_spellings_refills /* all tenants, background */
      LIMIT 1 FOR UPDATE SKIP LOCKED`);
    if (!refill) return false;
    const { tenantId, recordedMs, walkedTo } = refill;
    const judgments = await tx.query<{ recordId: string; query: string }>(sql`
      SELECT record_id AS "recordId", query FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id > ${walkedTo}
        AND recorded_ms < ${recordedMs}::bigint
      ORDER BY record_id LIMIT ${STEP}`);
    await countSpellings(tx, tenantId, judgments);
    const last = judgments.at(-1);
    tx.beforeCommit(
      last && judgments.length === STEP
        ? sql`UPDATE memory_spellings_refills SET walked_to = ${last.recordId}
              WHERE tenant_id = ${tenantId}`
        : sql`DELETE FROM memory_spellings_refills WHERE tenant_id = ${tenantId}`,
    );
    return true;
  });
}
