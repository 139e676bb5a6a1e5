import type { Services } from '../../api/context.ts';
import {
  type ArchivedTable,
  namesOrganization,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';

/**
 * Attachments that were uploaded and are not deleted. Their files follow the rows, under their ids, so
 * an id that another attachment of the key has is refused.
 */
export const archivedAttachments: ArchivedTable = {
  name: 'attachments',
  rows: sql`(
    SELECT * FROM attachments
    WHERE tenant_id = ${TENANT} AND completed AND (remove_at IS NULL OR remove_at > now())) t`,
  ofOrganization: namesOrganization,
  async finish(_parts, tx, { tenantId }) {
    const [twice] = await tx.query<{ id: string }>(sql`
      SELECT attachment_id AS id FROM attachments
      WHERE tenant_id = ${tenantId} AND organization_id <> ${NOWHERE}
      GROUP BY attachment_id HAVING count(*) > 1 LIMIT 1`);
    if (twice) throw new AppError('ALREADY_EXISTS', `The attachment ${twice.id} exists already.`);
  },
};

/** No organization has this id. */
const NOWHERE = '';
/** Longer than an import is repeated. */
const NOTED_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * Notes a file of an import, so that the job that removes files removes it unless the import is committed,
 * even if its process is killed.
 */
export const noteFile = (
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  tenantId: string,
  attachmentId: string,
) =>
  db.query(sql`
    INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, name, type, size,
      created_ms, remove_at)
    VALUES (${tenantId}, ${NOWHERE}, '', ${attachmentId}, '', '', 0, 0,
      ${new Date(clock.now() + NOTED_MS)})
    ON CONFLICT (tenant_id, organization_id, document_id, attachment_id)
    DO UPDATE SET remove_at = excluded.remove_at`);

/** Keeps the files that were noted, once the import is committed. */
export const keepNotedFiles = (tx: Queryable, tenantId: string) =>
  tx.query(sql`
    DELETE FROM attachments noted USING attachments imported
    WHERE noted.tenant_id = ${tenantId} AND noted.organization_id = ${NOWHERE}
      AND imported.tenant_id = ${tenantId} AND imported.organization_id <> ${NOWHERE}
      AND imported.attachment_id = noted.attachment_id`);
