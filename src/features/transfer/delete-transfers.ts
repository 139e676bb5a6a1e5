import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { archiveKey } from './transfers.ts';

/** Transfers that are deleted at the same time. */
const STEP = 50;

/** Deletes transfers of the last day but one, with their archives. */
export async function deleteTransfers({
  db,
  clock,
  files,
}: Pick<Services, 'db' | 'clock' | 'files'>): Promise<void> {
  if (!files) return;
  const due = await db.query<{ tenantId: string; jobId: string }>(sql`
    SELECT tenant_id AS "tenantId", job_id AS "jobId" FROM transfers /* all tenants, background */
    WHERE remove_at <= ${new Date(clock.now())} ORDER BY remove_at LIMIT ${STEP}`);
  for (const { tenantId, jobId } of due) {
    await files.remove(archiveKey({ tenantId, jobId }));
    await db.query(sql`DELETE FROM transfers WHERE tenant_id = ${tenantId} AND job_id = ${jobId}`);
  }
}
