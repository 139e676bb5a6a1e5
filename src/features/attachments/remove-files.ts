import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { MAX_RUN_MS } from '../../platform/database/delete-expired-rows.ts';
import { NO_ORGANIZATION } from './archive.ts';
import { fileKey } from './attachments.ts';
import type { AttachmentRefInput } from './schema.ts';
import { UPLOAD_MS } from './upload.ts';

/** The most files that are removed at the same time. */
const BATCH_SIZE = 50;

/**
 * Removes the files of attachments that were deleted, or not completed or approved in time, and then
 * their rows. Upload links cannot be revoked, so a file may arrive after its removal, until `UPLOAD_MS` after
 * the creation of its row. If a file is removed earlier, a new row schedules a second removal for that time.
 */
export async function removeFiles({ db, clock, files }: Services): Promise<void> {
  if (!files) return;
  const endAt = performance.now() + MAX_RUN_MS;
  const failures: unknown[] = [];
  let due: (AttachmentRefInput & { tenantId: string })[];
  do {
    const now = new Date(clock.now());
    // Files whose removal failed in this run are skipped, so that they do not delay the others. Locked rows
    // are skipped too: a call that is being committed may complete or approve their uploads.
    due = await db.query(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
             document_id AS "documentId", attachment_id AS "attachmentId"
      FROM attachments /* all tenants, background */
      WHERE remove_at <= ${now} ORDER BY remove_at LIMIT ${BATCH_SIZE} OFFSET ${failures.length}
      FOR UPDATE SKIP LOCKED`);
    const removals = await Promise.allSettled(
      due.map(({ tenantId, attachmentId }) => files.remove(fileKey(tenantId, attachmentId))),
    );
    const removed = due.filter((_, index) => removals[index]?.status === 'fulfilled');
    // The `created_ms` of the new rows is 0, so that the second removal schedules no third one.
    await db.query(sql`
      WITH deleted AS (
        DELETE FROM attachments /* all tenants, background */
        USING unnest(${removed.map((row) => row.tenantId)}::text[],
                     ${removed.map((row) => row.organizationId)}::text[],
                     ${removed.map((row) => row.documentId)}::text[],
                     ${removed.map((row) => row.attachmentId)}::text[])
          AS removed(tenant_id, organization_id, document_id, attachment_id)
        WHERE remove_at <= ${now} AND attachments.tenant_id = removed.tenant_id
          AND attachments.organization_id = removed.organization_id
          AND attachments.document_id = removed.document_id
          AND attachments.attachment_id = removed.attachment_id
        RETURNING attachments.tenant_id, attachments.attachment_id,
          created_ms + ${UPLOAD_MS}::int AS upload_ends)
      INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, name, type, size,
        created_ms, remove_at)
      SELECT tenant_id, ${NO_ORGANIZATION}, '', attachment_id, '', '', 0, 0,
        to_timestamp(upload_ends / 1000.0)
      FROM deleted WHERE upload_ends > ${now.getTime()}::bigint
      ON CONFLICT DO NOTHING`);
    for (const removal of removals) {
      if (removal.status === 'rejected') failures.push(removal.reason);
    }
  } while (due.length === BATCH_SIZE && performance.now() < endAt);
  if (failures.length > 0) throw failures[0];
}
