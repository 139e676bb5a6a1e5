import type { KeyContext } from '../../api/context.ts';
import type { UserDataQuery, UserDataSource } from '../../api/user-data-source.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { filterOnDocuments } from '../access/on-document.ts';
import { type AttachmentRow, attachmentColumns, presentAttachment } from './attachments.ts';
import type { PresentedAttachment } from './schema.ts';

/** The attachments that a user uploaded, by document and id (4.16). */
export const attachmentsOfUser: UserDataSource<PresentedAttachment> = {
  async read(ctx, query, after, limit) {
    const found = await selectByAuthor(ctx, query, after, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const visible = await visibleOf(ctx, query, rows);
    return {
      items: visible.map((row) => presentAttachment(ctx.tenantId, row)),
      next: last && [last.documentId, last.attachmentId],
    };
  },
};

function selectByAuthor(
  { db, tenantId, clock }: KeyContext,
  { organizationId, userId }: UserDataQuery,
  after: string[] | undefined,
  limit: number,
): Promise<AttachmentRow[]> {
  const fromPage = after
    ? sql`AND (document_id, attachment_id) > (${after[0]}, ${after[1]})`
    : empty;
  return db.query<AttachmentRow>(sql`
    SELECT ${attachmentColumns} FROM attachments
    WHERE tenant_id = ${tenantId} AND author_id = ${userId}
      AND organization_id = ${organizationId} ${fromPage} AND completed
      AND (remove_at IS NULL OR remove_at > ${new Date(clock.now())})
    ORDER BY document_id, attachment_id LIMIT ${limit}`);
}

/** Users see what they uploaded as long as they may see the document. */
async function visibleOf(
  ctx: KeyContext,
  query: UserDataQuery,
  rows: AttachmentRow[],
): Promise<AttachmentRow[]> {
  if (ctx.userId === undefined) return rows;
  return filterOnDocuments(
    ctx,
    ctx.db,
    query,
    rows.map((row) => ({ ...row, access: null })),
  );
}
