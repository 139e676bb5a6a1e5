import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { namedRows } from '../../platform/database/named-rows.ts';
import { filterVisibleItems, type OnDocument } from '../access/on-document.ts';
import { requireOwnUserId } from '../access/own-user.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { requireDocuments } from '../permissions/require-documents.ts';
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
    if (nonEmpty.length === 0) await requireOrganization(ctx.db, ctx.tenantId, organizationId);
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

const idColumn = sql`document_id`;

type Unread = OnDocument & { unread: number };

/** Named documents that exist have a row even if nothing in them is unread. */
const selectCounts = (ctx: KeyContext, inbox: Inbox, documentIds: string[]): Promise<Unread[]> =>
  ctx.db.query<Unread>(sql`
    SELECT r.document_id AS "documentId", COALESCE(n.access, a.access) AS access,
           count(*)::int AS unread
    ${fromInbox(ctx, inbox, { idColumn, ids: documentIds, where: sql`AND read_ms IS NULL` })}
      AND ${isSourceVisible(ctx, inbox.userId)}
    GROUP BY 1, 2
    UNION ALL
    SELECT document_id, NULL, 0 FROM ${namedRows({
      table: sql`documents`,
      where: sql`tenant_id = ${ctx.tenantId} AND organization_id = ${inbox.organizationId}`,
      idColumn,
      ids: documentIds,
    })} d`);
