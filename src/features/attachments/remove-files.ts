import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { MAX_RUN_MS } from '../../platform/database/delete-expired-rows.ts';
import { NO_ORGANIZATION } from './archive.ts';
import { DELETED, fileKey } from './attachments.ts';
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
  const stuckIds: string[] = [];
  let firstFailure: unknown;
  let due: DueRow[];
  do {
    const now = new Date(clock.now());
    due = await markDeleted(db, now, stuckIds);
    const removals = await Promise.allSettled(
      due.map(({ tenantId, attachmentId }) => files.remove(fileKey(tenantId, attachmentId))),
    );
    const removed = due.filter((_, index) => removals[index]?.status === 'fulfilled');
    await deleteRows(db, now, removed);
    for (const [index, removal] of removals.entries()) {
      const row = due[index];
      if (removal.status === 'fulfilled' || !row) continue;
      stuckIds.push(row.attachmentId);
      firstFailure ??= removal.reason;
    }
  } while (due.length === BATCH_SIZE && performance.now() < endAt);
  if (firstFailure !== undefined) throw firstFailure;
}

type DueRow = AttachmentRefInput & { tenantId: string };

/**
 * Marks attachments that are due as deleted, and returns them. A call that waits to complete or approve one
 * of them then does not find it. Locked rows are skipped, since such a call may be about to commit.
 *
 * @param stuckIds files whose removal failed in this run, and which must not delay the others
 */
const markDeleted = (db: Queryable, now: Date, stuckIds: string[]): Promise<DueRow[]> =>
  db.query<DueRow>(sql`
    UPDATE attachments /* all tenants, background */ SET remove_at = ${DELETED}
    WHERE (tenant_id, organization_id, document_id, attachment_id) IN (
      SELECT tenant_id, organization_id, document_id, attachment_id
      FROM attachments /* all tenants, background */
      WHERE remove_at <= ${now} AND attachment_id <> ALL(${stuckIds})
      ORDER BY remove_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
    RETURNING tenant_id AS "tenantId", organization_id AS "organizationId",
              document_id AS "documentId", attachment_id AS "attachmentId"`);

/** Deletes rows, and schedules second removals. Their `created_ms` is 0, so that no third one follows. */
const deleteRows = (db: Queryable, now: Date, removed: DueRow[]) =>
  db.query(sql`
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
