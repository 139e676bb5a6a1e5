import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { sql } from '../../../platform/database/database.ts';
import { requirePlace } from '../../directory/folders/folders.ts';
import { type FullAnnotation, fullColumns } from '../annotation-row.ts';
import { selectAnnotations } from '../load-annotations.ts';
import { presentAnnotation } from '../present-annotation.ts';
import type { PresentedAnnotation } from '../response-schemas.ts';
import { showAnnotation } from '../show-annotation.ts';
import type { Viewer } from '../visibility/rule-sql.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { type AnnotationQuery, toAnnotationQuery } from './filters.ts';
import type { GetAnnotationsInput, GetGroupedAnnotationsInput } from './schema.ts';
import { isSelected, orderBy, selectKeys } from './select-keys.ts';

interface Page {
  found: Array<FullAnnotation | null>;
  nextPageToken: string | undefined;
}

/**
 * Returns a page of annotations in the order of lastUpdated (specification 4.5). With annotationIds,
 * the page has the order of these ids, with null for each annotation that is not found. On request,
 * the page is grouped by document.
 */
export async function getAnnotations(ctx: KeyContext, input: GetAnnotationsInput) {
  const { found, nextPageToken } = await findPage(ctx, input);
  if (input.groupByDocumentId) return { data: await groupByDocument(ctx, found), nextPageToken };
  const data = await mapInChunks(found, (row) => row && present(ctx, row));
  return { data, nextPageToken };
}

export async function getGroupedAnnotations(ctx: KeyContext, input: GetGroupedAnnotationsInput) {
  const { found, nextPageToken } = await findPage(ctx, { ...input, groupByDocumentId: true });
  return { data: await groupByDocument(ctx, found), nextPageToken };
}

async function findPage(ctx: KeyContext, input: GetAnnotationsInput): Promise<Page> {
  const query = toAnnotationQuery(input);
  const viewer = await requireViewer(ctx, query, 'viewer');
  const page = query.annotationIds
    ? await pageByIds(ctx, input, query, viewer)
    : await pageByTime(ctx, input, query, viewer);
  const { organizationId, folderId } = input;
  const isEmpty = page.found.every((row) => row === null);
  // Only API keys learn whether a place without annotations exists.
  if (isEmpty && ctx.userId === undefined && organizationId !== undefined) {
    await requirePlace(ctx, organizationId, folderId);
  }
  return page;
}

const pagedQuery = (ctx: KeyContext, { pageSize, pageToken, ...filters }: GetAnnotationsInput) => ({
  operation: 'commentAnnotations.get',
  tenantId: ctx.tenantId,
  filters: { ...filters, asUser: ctx.userId },
});

async function pageByTime(
  ctx: KeyContext,
  input: GetAnnotationsInput,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
): Promise<Page> {
  const { order, pageSize } = input;
  const pageQuery = pagedQuery(ctx, input);
  const [lastUpdated, annotationId] = readPageToken(ctx.secrets, pageQuery, input.pageToken) ?? [];
  const after =
    annotationId === undefined ? undefined : { lastUpdated: Number(lastUpdated), annotationId };
  const keys = selectKeys(ctx, query, viewer, { order, after, limit: pageSize + 1 });
  const all = await ctx.db.query<FullAnnotation>(sql`
    WITH k AS MATERIALIZED (${keys})
    SELECT ${fullColumns(ctx.tenantId)}
    FROM k JOIN comment_annotations a
      ON a.tenant_id = ${ctx.tenantId} AND a.annotation_id = k.annotation_id
    ${orderBy('k', { order })}`);
  const { rows, nextPageToken } = pageOf(all, pageSize, (last) =>
    writePageToken(ctx.secrets, pageQuery, [String(last.lastUpdated), last.annotationId]),
  );
  return { found: rows, nextPageToken };
}

async function pageByIds(
  ctx: KeyContext,
  input: GetAnnotationsInput,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
): Promise<Page> {
  const ids = input.annotationIds ?? [];
  const pageQuery = pagedQuery(ctx, input);
  const [start = '0'] = readPageToken(ctx.secrets, pageQuery, input.pageToken) ?? [];
  const end = Number(start) + input.pageSize;
  const annotationIds = ids.slice(Number(start), end);
  const condition = isSelected(ctx, query, viewer);
  const rows = await selectAnnotations(ctx.db, ctx.tenantId, annotationIds, condition);
  const byId = new Map(rows.map((row) => [row.annotationId, row]));
  const found = annotationIds.map((annotationId) => byId.get(annotationId) ?? null);
  const isLast = end >= ids.length;
  const next = isLast ? undefined : writePageToken(ctx.secrets, pageQuery, [String(end)]);
  return { found, nextPageToken: next };
}

const present = (ctx: KeyContext, row: FullAnnotation): PresentedAnnotation =>
  showAnnotation(ctx, presentAnnotation(ctx.tenantId, row));

async function groupByDocument(ctx: KeyContext, found: Array<FullAnnotation | null>) {
  const rows = found.filter((row) => row !== null);
  const byDocument: Record<string, PresentedAnnotation[]> = {};
  for (const [documentId, ofDocument] of Map.groupBy(rows, (row) => row.documentId)) {
    byDocument[documentId] = await mapInChunks(ofDocument, (row) => present(ctx, row));
  }
  return byDocument;
}
