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
 * Counts, by document, the annotations that the filters of specification 4.5 find, and those of them
 * that the reader has not read. An annotation is read if the reader wrote its last comment. API keys
 * count all annotations, but as unread only those that the reader may see. If they name no reader,
 * those that nobody has read are unread.
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
  // The statement counts only annotations that the viewer may see. Without a reader, access does not matter.
  const areAllVisible = viewer !== undefined || reader === null;
  const visible = new Set(
    areAllVisible
      ? nonEmpty
      : await filterVisibleItems(ctx, ctx.db, { organizationId, userId: reader }, nonEmpty),
  );
  const counts = new Map(
    [...(query.documentIds ?? []), ...rows.map(({ documentId }) => documentId)].map(
      (documentId) => [documentId, { total: 0, unread: 0 }],
    ),
  );
  for (const row of nonEmpty) {
    const count = counts.get(row.documentId);
    if (!count) continue;
    count.total += row.total;
    if (visible.has(row)) count.unread += row.unread;
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
 * Counts by document and access context, because the reader's access is decided for each of these.
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
