import type { Services } from '../../api/context.ts';
import { type ArchivedTable, TENANT } from '../../platform/archives/archived-table.ts';
import { type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';

/** The organization id of rows that schedule the removal of a file. No organization has it. */
export const NO_ORGANIZATION = '';
/** How long a file stays after the last attempt of an import that is never committed. */
const REMOVAL_DELAY_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * Attachments that were uploaded and are not deleted. Their files are stored by tenant and id alone, so
 * an archive is refused when another attachment of the key has the id of one of them.
 */
export const archivedAttachments: ArchivedTable = {
  name: 'attachments',
  rows: sql`(
    SELECT * FROM attachments
    WHERE tenant_id = ${TENANT} AND completed AND (remove_at IS NULL OR remove_at > now())) t`,
  async finish(_parts, tx, { tenantId }) {
    const [repeated] = await tx.query<{ id: string }>(sql`
      SELECT attachment_id AS id FROM attachments
      WHERE tenant_id = ${tenantId} AND organization_id <> ${NO_ORGANIZATION}
      GROUP BY attachment_id HAVING count(*) > 1 LIMIT 1`);
    if (repeated) {
      throw new AppError('ALREADY_EXISTS', `The attachment ${repeated.id} already exists.`);
    }
  },
};

/**
 * Schedules the removal of a file before an import stores it. The task that removes files thus finds
 * the file if the import is never committed, even if its process was killed.
 */
export const scheduleRemoval = (
  tx: Queryable,
  clock: Services['clock'],
  { tenantId, attachmentId }: { tenantId: string; attachmentId: string },
) =>
  tx.query(sql`
    INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, name, type, size,
      created_ms, remove_at)
    VALUES (${tenantId}, ${NO_ORGANIZATION}, '', ${attachmentId}, '', '', 0, 0,
      ${new Date(clock.now() + REMOVAL_DELAY_MS)})
    ON CONFLICT (tenant_id, organization_id, document_id, attachment_id)
    DO UPDATE SET remove_at = excluded.remove_at`);

/** Cancels the removals of imported attachments, so that their files stay once the import is committed. */
export const cancelRemovals = (tx: Transaction, tenantId: string): void =>
  tx.beforeCommit(sql`
    DELETE FROM attachments scheduled USING attachments imported
    WHERE scheduled.tenant_id = ${tenantId} AND scheduled.organization_id = ${NO_ORGANIZATION}
      AND imported.tenant_id = ${tenantId} AND imported.organization_id <> ${NO_ORGANIZATION}
      AND imported.attachment_id = scheduled.attachment_id`);
