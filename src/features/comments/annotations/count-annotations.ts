import type { KeyContext } from '../../../api/context.ts';
import { rowsAmong } from '../../../api/paging.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { namedDocuments } from '../../access/named-documents.ts';
import { filterVisibleItems, type OnDocument } from '../../access/on-document.ts';
import { requireReadableOrganization } from '../../directory/organizations/organizations.ts';
import { isIncluded, type Viewer, visibleTo } from '../visibility/rule-sql.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { matchesQuery } from './choose-index.ts';
import { type AnnotationQuery, toAnnotationQuery } from './filters.ts';
import { requirePlaces } from './require-places.ts';
import type { CountAnnotationsInput } from './schema.ts';

interface Counts extends OnDocument {
  total: number;
  unread: number;
}

/**
 * Counts, by document, the annotations that the filters find (specification 4.5), and the unread ones
 * among them. An annotation counts as read by the author of its last comment. For an API key, `total`
 * counts all annotations, and `unread` only those that the named reader may see. Without a reader,
 * `unread` counts the annotations that nobody has read.
 */
export async function countAnnotations(ctx: KeyContext, input: CountAnnotationsInput) {
  const { organizationId } = input;
  const query = { ...toAnnotationQuery(input), organizationId };
  const viewer = await requireViewer(ctx, query, 'viewer');
  await requireReadableOrganization(ctx.db, ctx.tenantId, organizationId);
  const reader = ctx.userId ?? input.userId ?? null;
  const rows = await selectCounts(ctx, query, viewer, reader);
  const nonEmpty = rows.filter(({ total }) => total > 0);
  await requirePlaces(ctx, ctx.db, query, nonEmpty, rows);
  // With a viewer, the statement counts only visible annotations. Without a reader, all of them count.
  const areAllVisible = viewer !== undefined || reader === null;
  const visible = new Set(
    areAllVisible
      ? nonEmpty
      : await filterVisibleItems(ctx, ctx.db, { organizationId, userId: reader }, nonEmpty),
  );
  const none = { total: 0, unread: 0 };
  const counts = new Map((query.documentIds ?? []).map((documentId) => [documentId, none]));
  for (const row of rows) {
    const { total, unread } = counts.get(row.documentId) ?? none;
    counts.set(row.documentId, {
      total: total + row.total,
      unread: visible.has(row) ? unread + row.unread : unread,
    });
  }
  return Object.fromEntries(counts);
}

type OrganizationQuery = AnnotationQuery & { organizationId: string };

/** SQL: the annotations of the named documents or folders, or else of the organization. */
function inNamedPlaces({ tenantId }: KeyContext, query: OrganizationQuery): Sql {
  const { organizationId, documentIds, folderIds } = query;
  const idColumn = documentIds ? sql`document_id` : sql`folder_id`;
  const where = sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;
  const rows = { table: sql`comment_annotations`, where, idColumn };
  return rowsAmong(rows, documentIds ?? folderIds ?? undefined);
}

/**
 * Counts by document and access context, because the reader's access is decided for each pair of them.
 * Named documents that exist have a row even if no annotation is found in them.
 */
function selectCounts(
  ctx: KeyContext,
  query: OrganizationQuery,
  viewer: Viewer | undefined,
  reader: string | null,
): Promise<Counts[]> {
  const organization = { tenantId: ctx.tenantId, organizationId: query.organizationId };
  return ctx.db.query<Counts>(sql`
    SELECT a.document_id AS "documentId", a.access, count(*)::int AS total,
      (count(*) FILTER (WHERE
        (${reader}::text IS NULL
          OR (a.last_comment_by <> ${reader} AND ${isIncluded(ctx, reader ?? '')}))
        AND NOT EXISTS (
          SELECT 1 FROM annotation_users u
          WHERE u.tenant_id = ${ctx.tenantId} AND u.annotation_id = a.annotation_id
            AND u.read_at >= a.last_comment_at
            AND (${reader}::text IS NULL OR u.user_id = ${reader}))))::int AS unread
    FROM ${inNamedPlaces(ctx, query)} a
    WHERE true ${matchesQuery(ctx.tenantId, query)} ${visibleTo(ctx, viewer)}
    GROUP BY 1, 2
    UNION ALL
    SELECT document_id, NULL, 0, 0
    FROM ${namedDocuments(organization, query.documentIds ?? [])} d`);
}
