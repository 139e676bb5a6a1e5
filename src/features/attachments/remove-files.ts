import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { RUN_MS } from '../../platform/database/delete-expired-rows.ts';
import { NO_ORGANIZATION } from './archive.ts';
import { fileKey } from './attachments.ts';
import type { AttachmentRefInput } from './schema.ts';

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
  let due: (AttachmentRefInput & { tenantId: string; isImported: boolean })[];
  do {
    const now = new Date(clock.now());
    // The files that failed in this run are skipped, so that they do not delay the others.
    // An import that was suspended may schedule the removal of a file that another one has imported.
    due = await db.query(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
             document_id AS "documentId", attachment_id AS "attachmentId",
             organization_id = ${NO_ORGANIZATION} AND EXISTS (
               SELECT FROM attachments imported
               WHERE imported.tenant_id = attachments.tenant_id
                 AND imported.attachment_id = attachments.attachment_id
                 AND imported.organization_id <> ${NO_ORGANIZATION}) AS "isImported"
      FROM attachments /* all tenants, background */
      WHERE remove_at <= ${now} ORDER BY remove_at LIMIT ${STEP} OFFSET ${failures.length}`);
    const removals = await Promise.allSettled(
      due.map(async ({ tenantId, attachmentId, isImported }) => {
        if (!isImported) await files.remove(fileKey(tenantId, attachmentId));
      }),
    );
    const removed = due.filter((_, index) => removals[index]?.status === 'fulfilled');
    await db.query(sql`
      DELETE FROM attachments /* all tenants, background */
      USING unnest(${removed.map((row) => row.tenantId)}::text[],
                   ${removed.map((row) => row.organizationId)}::text[],
                   ${removed.map((row) => row.documentId)}::text[],
                   ${removed.map((row) => row.attachmentId)}::text[])
        AS removed(tenant_id, organization_id, document_id, attachment_id)
      WHERE remove_at <= ${now} AND attachments.tenant_id = removed.tenant_id
        AND attachments.organization_id = removed.organization_id
        AND attachments.document_id = removed.document_id
        AND attachments.attachment_id = removed.attachment_id`);
    for (const removal of removals) {
      if (removal.status === 'rejected') failures.push(removal.reason);
    }
  } while (due.length === STEP && performance.now() < endAt);
  if (failures.length > 0) throw failures[0];
}
