import { rowSource } from '../../api/user-data-source.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { filterVisibleItems } from '../access/on-document.ts';
import { type AttachmentRow, attachmentColumns, presentAttachment } from './attachments.ts';
import type { PresentedAttachment } from './schema.ts';

/**
 * The attachments that a user uploaded, sorted by document and id (specification 4.16). Users see their
 * attachments as long as they may see the document.
 */
export const attachmentsOfUser = rowSource<AttachmentRow, PresentedAttachment>({
  select({ db, tenantId, clock }, { organizationId, userId }, after, limit) {
    const beyond = after
      ? sql`AND (document_id, attachment_id) > (${after[0]}, ${after[1]})`
      : empty;
    return db.query<AttachmentRow>(sql`
      SELECT ${attachmentColumns} FROM attachments
      WHERE tenant_id = ${tenantId} AND author_id = ${userId}
        AND organization_id = ${organizationId} ${beyond} AND completed
        AND (remove_at IS NULL OR remove_at > ${new Date(clock.now())})
      ORDER BY document_id, attachment_id LIMIT ${limit}`);
  },
  positionOf: ({ documentId, attachmentId }) => [documentId, attachmentId],
  filterVisible: (ctx, query, rows) => filterVisibleItems(ctx, ctx.db, query, rows),
  present: ({ tenantId }, row) => presentAttachment(tenantId, row),
});
