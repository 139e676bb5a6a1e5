import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { RUN_MS } from '../../platform/database/delete-expired-rows.ts';
import { fileKey } from './attachments.ts';

/** The most files that are removed at the same time. */
const STEP = 50;

/**
 * Removes the files of attachments that were deleted, or not completed or approved in time, and then
 * their rows. A row stays until its file is removed.
 */
export async function removeFiles({ db, clock, files }: Services): Promise<void> {
  if (!files) return;
  const endAt = performance.now() + RUN_MS;
  const failures: unknown[] = [];
  let due: { tenantId: string; attachmentId: string }[];
  do {
    const now = new Date(clock.now());
    // The files that failed in this run are skipped, so that they do not delay the others.
    due = await db.query(sql`
      SELECT tenant_id AS "tenantId", attachment_id AS "attachmentId"
      FROM attachments /* all tenants, background */
      WHERE remove_at <= ${now} ORDER BY remove_at LIMIT ${STEP} OFFSET ${failures.length}`);
    const keys = due.map(({ tenantId, attachmentId }) => fileKey(tenantId, attachmentId));
    const removals = await Promise.allSettled(keys.map((key) => files.remove(key)));
    const removed = keys.filter((_, index) => removals[index]?.status === 'fulfilled');
    await db.query(sql`
      DELETE FROM attachments /* all tenants, background */
      WHERE remove_at <= ${now} AND tenant_id || '/' || attachment_id = ANY(${removed})`);
    for (const removal of removals) {
      if (removal.status === 'rejected') failures.push(removal.reason);
    }
  } while (due.length === STEP && performance.now() < endAt);
  if (failures.length > 0) throw failures[0];
}
