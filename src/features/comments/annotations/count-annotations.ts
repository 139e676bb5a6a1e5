import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import { isNotHiddenFrom, requireViewer, visibleTo } from '../visibility/viewer.ts';
import { matchesQuery } from './choose-index.ts';
import { toAnnotationQuery } from './filters.ts';
import { requirePlaces } from './require-places.ts';
import type { CountAnnotationsInput } from './schema.ts';

interface CountRow {
  documentId: string;
  total: number;
  unread: number;
}

/**
 * How many annotations each document has of those that the filters of 4.5 find, and how many of
 * them hold something that the user has not read. One's own last word is read, and what is hidden
 * from the user is not counted as unread to an API key either.
 */
export async function countAnnotations(ctx: KeyContext, input: CountAnnotationsInput) {
  const query = toAnnotationQuery(input);
  const viewer = await requireViewer(ctx, query, 'viewer');
  await requireOrganization(ctx.db, ctx.tenantId, input.organizationId);
  const reader = ctx.userId ?? input.userId ?? null;
  const rows = await ctx.db.query<CountRow>(sql`
    SELECT a.document_id AS "documentId", count(*)::int AS total,
      (count(*) FILTER (WHERE
        (${reader}::text IS NULL
          OR (a.last_comment_by <> ${reader} ${isNotHiddenFrom(ctx, reader ?? '')}))
        AND NOT EXISTS (
          SELECT 1 FROM annotation_users u
          WHERE u.tenant_id = ${ctx.tenantId} AND u.annotation_id = a.annotation_id
            AND u.read_at >= a.last_comment_at
            AND (${reader}::text IS NULL OR u.user_id = ${reader}))))::int AS unread
    FROM comment_annotations a
    WHERE a.tenant_id = ${ctx.tenantId} AND a.organization_id = ${query.organizationId}
      ${matchesQuery(ctx.tenantId, query)} ${visibleTo(ctx, viewer)}
    GROUP BY a.document_id`);
  await requirePlaces(ctx, ctx.db, query, rows);
  const none = (query.documentIds ?? []).map((documentId) => [documentId, { total: 0, unread: 0 }]);
  const some = rows.map(({ documentId, total, unread }) => [documentId, { total, unread }]);
  return Object.fromEntries([...none, ...some]) as Record<
    string,
    { total: number; unread: number }
  >;
}
