import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { namedDocuments, requireDocuments } from '../access/named-documents.ts';
import { filterVisibleItems, type OnDocument } from '../access/on-document.ts';
import { requireOwnUserId } from '../access/own-user.ts';
import { requireReadableOrganization } from '../directory/organizations/organizations.ts';
import type { CountUnreadInput, UnreadCount } from './schema.ts';
import { fromInbox, type Inbox, isSourceVisible } from './select-notifications.ts';

/**
 * Counts the unread notifications in an inbox that the user may see now. They are grouped by document
 * and access context, so that access is decided once for each group.
 */
export async function countUnread(ctx: KeyContext, input: CountUnreadInput): Promise<UnreadCount> {
  const { organizationId } = input;
  const userId = requireOwnUserId(ctx, input);
  const documentIds = [...new Set(input.documentIds)];
  const inbox = { organizationId, userId };
  const counts = await selectCounts(ctx, inbox, documentIds);
  const nonEmpty = counts.filter(({ unread }) => unread > 0);
  if (ctx.userId === undefined) {
    if (nonEmpty.length === 0)
      await requireReadableOrganization(ctx.db, ctx.tenantId, organizationId);
    const known = new Set(counts.map(({ documentId }) => documentId));
    const unknown = documentIds.filter((documentId) => !known.has(documentId));
    await requireDocuments(ctx.db, { tenantId: ctx.tenantId, organizationId }, unknown);
  }
  const visible = await filterVisibleItems(ctx, ctx.db, inbox, nonEmpty);
  const byDocument = new Map(documentIds.map((documentId) => [documentId, 0]));
  for (const { documentId, unread } of visible) {
    byDocument.set(documentId, (byDocument.get(documentId) ?? 0) + unread);
  }
  const total = visible.reduce((sum, { unread }) => sum + unread, 0);
  return { total, byDocumentId: Object.fromEntries(byDocument) };
}

type Unread = OnDocument & { unread: number };

/** Named documents that exist have a row even if nothing in them is unread. */
function selectCounts(ctx: KeyContext, inbox: Inbox, documentIds: string[]): Promise<Unread[]> {
  const { organizationId, userId } = inbox;
  const selection = {
    idColumn: sql`document_id`,
    ids: documentIds,
    where: sql`AND read_ms IS NULL`,
  };
  return ctx.db.query<Unread>(sql`
    SELECT r.document_id AS "documentId", COALESCE(n.access, a.access) AS access,
           count(*)::int AS unread
    ${fromInbox(ctx, inbox, selection)} AND ${isSourceVisible(ctx, userId)}
    GROUP BY 1, 2
    UNION ALL
    SELECT document_id, NULL, 0
    FROM ${namedDocuments({ tenantId: ctx.tenantId, organizationId }, documentIds)} d`);
}
