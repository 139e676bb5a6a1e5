import type { KeyContext } from '../../../api/context.ts';
import { empty, join, raw, type Sql, sql } from '../../../platform/database/database.ts';
import { type Viewer, visibleTo } from '../visibility/rule-sql.ts';
import { type ChosenIndex, chooseIndex, matchesQuery } from './choose-index.ts';
import type { AnnotationQuery } from './filters.ts';

interface KeyRange {
  order: 'asc' | 'desc';
  /** The (last_updated, annotation_id) of the row before the page. */
  after: { lastUpdated: number; annotationId: string } | undefined;
  limit: number;
}

/**
 * SQL: the (last_updated, annotation_id) of the first annotations in the range that match the query and
 * are visible. The chosen index is read in the order of the range, up to the limit for each of its values.
 */
export function selectKeys(
  ctx: KeyContext,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
  range: KeyRange,
): Sql {
  const index = chooseIndex(query);
  const { limit } = range;
  return sql`
    SELECT DISTINCT k.last_updated, k.annotation_id
    FROM unnest(${index.values}::text[]) AS chosen(value) CROSS JOIN LATERAL (
      ${join(indexScans(ctx, query, viewer, range, index), ' UNION ALL ')}
    ) AS k
    ${orderBy('k', range)} LIMIT ${limit}`;
}

/**
 * Returns the index scans that together give the page, for one value of the chosen index.
 *
 * The index is sorted by the last change, so it cannot find the annotations that were created before
 * a given time. If the filter is wide, most of the rows that are read could be too new. In that case,
 * two parts are read: annotations that have not changed since that time, and annotations that were
 * created before it and have changed since.
 */
function indexScans(
  ctx: KeyContext,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
  range: KeyRange,
  { byMention, isWide, condition, rest }: ChosenIndex,
): Sql[] {
  const { createdBefore, updatedBefore } = query;
  const scan = (source: Sql, unchecked: AnnotationQuery) => sql`
    (${source} ${condition} ${matchesQuery(ctx.tenantId, unchecked)} ${visibleTo(ctx, viewer)}
     ${byMention ? orderBy('m', range) : orderBy('a', range)} LIMIT ${range.limit})`;
  if (byMention) return [scan(fromMentions(ctx, query, range), rest)];
  const all = fromAnnotations(ctx, ALL_ANNOTATIONS, query, range);
  if (!isWide || createdBefore >= updatedBefore) return [scan(all, rest)];
  return [
    scan(all, { ...rest, updatedBefore: createdBefore }),
    scan(fromAnnotations(ctx, annotationsSpanning(ctx, createdBefore), query, range), rest),
  ];
}

const ALL_ANNOTATIONS = sql`comment_annotations`;

/**
 * SQL: the annotations that were created at or before a time and changed then or later. In an index,
 * each annotation is a box in a plane: its height spans the time from creation to last change, and its
 * horizontal position is `tenant_column`, a hash of the tenant. The index finds the boxes that contain
 * the given time. (With a btree_gist index over the tenant's id and a range instead, PostgreSQL 15 would
 * read a hundred times as many pages for a small tenant, and insertions would take three times as long.)
 * OFFSET 0 keeps PostgreSQL from using the index that is sorted by last change.
 */
const annotationsSpanning = ({ tenantId }: KeyContext, time: number): Sql => sql`
  (SELECT * FROM comment_annotations
   WHERE tenant_id = ${tenantId}
     AND box(point(tenant_column(tenant_id), created_at), point(tenant_column(tenant_id) + 0.5, last_updated))
       && box(point(tenant_column(${tenantId}), ${time}::bigint), point(tenant_column(${tenantId}), ${time}::bigint))
   OFFSET 0)`;

/** SQL: the annotation `a` is visible and matches the query. The query's `annotationIds` are ignored. */
export const isSelected = (
  ctx: KeyContext,
  query: AnnotationQuery,
  viewer: Viewer | undefined,
): Sql => sql`
  (${query.organizationId}::text IS NULL OR a.organization_id = ${query.organizationId})
  ${matchesQuery(ctx.tenantId, { ...query, annotationIds: null })} ${visibleTo(ctx, viewer)}`;

function fromAnnotations(
  ctx: KeyContext,
  source: Sql,
  { organizationId }: AnnotationQuery,
  { after, order }: KeyRange,
) {
  const inOrganization =
    organizationId === null ? empty : sql`AND a.organization_id = ${organizationId}`;
  const row = sql`(a.last_updated, a.annotation_id)`;
  return sql`
    SELECT a.last_updated, a.annotation_id FROM ${source} a
    WHERE a.tenant_id = ${ctx.tenantId} ${inOrganization} ${isAfter(row, order, after)}`;
}

/** SQL: mentions in the range. OFFSET 0 makes PostgreSQL look up annotations by id, even without statistics. */
function fromMentions(
  ctx: KeyContext,
  { organizationId, updatedAfter, updatedBefore }: AnnotationQuery,
  { after, order }: KeyRange,
) {
  const inOrganization =
    organizationId === null ? empty : sql`AND m.organization_id = ${organizationId}`;
  const row = sql`(m.last_updated, m.annotation_id)`;
  return sql`
    SELECT m.last_updated, m.annotation_id
    FROM annotation_users m CROSS JOIN LATERAL (
      SELECT * FROM comment_annotations
      WHERE tenant_id = m.tenant_id AND annotation_id = m.annotation_id OFFSET 0) a
    WHERE m.tenant_id = ${ctx.tenantId} AND m.mentioned ${inOrganization}
      AND m.last_updated > ${updatedAfter}::bigint AND m.last_updated < ${updatedBefore}::bigint
      ${isAfter(row, order, after)}`;
}

function isAfter(row: Sql, order: KeyRange['order'], after: KeyRange['after']): Sql {
  if (!after) return empty;
  const { lastUpdated, annotationId } = after;
  return order === 'asc'
    ? sql`AND ${row} > (${lastUpdated}::bigint, ${annotationId})`
    : sql`AND ${row} < (${lastUpdated}::bigint, ${annotationId})`;
}

export function orderBy(alias: 'a' | 'm' | 'k', { order }: Pick<KeyRange, 'order'>): Sql {
  const direction = order === 'asc' ? '' : ' DESC';
  return raw(`ORDER BY ${alias}.last_updated${direction}, ${alias}.annotation_id${direction}`);
}
