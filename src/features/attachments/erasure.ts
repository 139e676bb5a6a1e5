import { empty, sql } from '../../platform/database/database.ts';
import type { DependentRows } from '../../platform/erasure/dependent-rows.ts';
import { type ErasureStep, STEP_ROWS } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { DELETED } from './attachments.ts';

/** SQL: deletes the attachments of deleted documents. Their rows stay until a job has removed the files. */
export const attachmentsOfDocuments: DependentRows = (tenantId, isDeleted) => sql`
  UPDATE attachments SET remove_at = ${DELETED}
  WHERE tenant_id = ${tenantId} AND ${isDeleted(sql`document_id`)}`;

/** Deletes the attachments that the users uploaded, if the erasure removes contents too. */
export const deleteAttachmentsOfErasedUsers: ErasureStep = {
  name: 'attachmentsRemoved',
  onlyWhenRemovingContents: true,
  async run({ tenantId, userIds, organizationIds }, tx) {
    const inScope = organizationIds ? sql`AND organization_id = ANY(${organizationIds})` : empty;
    const removed = await tx.query(sql`
      UPDATE attachments SET remove_at = ${DELETED}, author_id = NULL, name = ''
      WHERE tenant_id = ${tenantId} AND (organization_id, document_id, attachment_id) IN (
        SELECT organization_id, document_id, attachment_id FROM attachments
        WHERE tenant_id = ${tenantId} AND author_id = ANY(${userIds}) ${inScope}
        LIMIT ${STEP_ROWS} FOR UPDATE)
      RETURNING 1`);
    return {
      counts: { attachmentsRemoved: removed.length },
      next: removed.length === STEP_ROWS ? [] : undefined,
    };
  },
};

/** Anonymises the author and the name of attachments that stay. */
export const eraseInAttachments = walkRows({
  name: 'attachments',
  table: sql`attachments t`,
  key: ['organization_id', 'document_id', 'attachment_id'],
  columns: { authorId: 'author_id', title: 'name' },
});
