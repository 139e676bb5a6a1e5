import { empty, join, type Sql, sql } from '../../../platform/database/database.ts';
import { type AnnotationQuery, hasTimes } from './filters.ts';

/**
 * The filter whose index a page is read from. The other filters are checked on the rows that the
 * index finds. Every filter in `FILTERS` has an index that is sorted like pages, so a page costs the
 * same however many annotations there are.
 */
export interface ChosenIndex {
  /** The index is read once for each of these values, and the results are merged. */
  values: string[];
  /** SQL: `AND` the filtered column has the value `chosen.value`. */
  condition: Sql;
  /** Whether the rows are mentions, which have a table of their own. */
  byMention: boolean;
  /** Whether the filter may select a large part of all annotations. */
  isWide: boolean;
  /** The other filters, which are checked on the rows. */
  rest: AnnotationQuery;
}

/** The names of the filters that list values. */
type ListName = {
  [Name in keyof AnnotationQuery]: AnnotationQuery[Name] extends string[] | null ? Name : never;
}[keyof AnnotationQuery];

/** The filters on one column. Those that usually select the fewest annotations come first. */
const FILTERS: Array<[name: ListName, column: Sql]> = [
  ['executionIds', sql`a.execution_id`],
  ['documentIds', sql`a.document_id`],
  ['mentionedIds', sql`m.user_id`],
  ['resolverIds', sql`a.resolved_by`],
  ['agentIds', sql`a.agent_id`],
  ['authorIds', sql`a.author_id`],
  ['locationKeys', sql`a.location_key`],
  ['folderIds', sql`a.folder_id`],
  ['agentKinds', sql`a.agent_kind`],
  ['agentTypes', sql`a.agent_type`],
  ['agentSources', sql`a.agent_source`],
  ['statusIds', sql`a.status_id`],
];

const WIDE_FILTERS = new Set<ListName>(['agentKinds', 'agentTypes', 'agentSources', 'statusIds']);

/** Chooses the first of `FILTERS` that the query has. */
export function chooseIndex(query: AnnotationQuery): ChosenIndex {
  for (const [name, column] of FILTERS) {
    const values = query[name];
    if (values) {
      const condition = sql`AND ${column} = chosen.value`;
      const byMention = name === 'mentionedIds';
      const isWide = WIDE_FILTERS.has(name);
      return { values, condition, byMention, isWide, rest: { ...query, [name]: null } };
    }
  }
  // The query has none of `FILTERS`: read the whole organization or key, once.
  return { values: [''], condition: empty, byMention: false, isWide: true, rest: query };
}

/** The filters that `matchesQuery` compares with columns of `a`. Mentions are in another table. */
const COMPARED_FILTERS: typeof FILTERS = [
  ['annotationIds', sql`a.annotation_id`],
  ...FILTERS.filter(([name]) => name !== 'mentionedIds'),
];

/**
 * SQL: `AND` the row `a` matches the query. If the query has no lists, or no times, their conditions are left
 * out, so that PostgreSQL chooses the right index. Apart from this, all queries have the same text, so that
 * PostgreSQL keeps few plans.
 */
export const matchesQuery = (tenantId: string, query: AnnotationQuery): Sql =>
  sql`${matchesLists(tenantId, query)} ${hasTimes(query) ? matchesTimes(query) : empty}`;

function matchesLists(tenantId: string, query: AnnotationQuery): Sql {
  const { mentionedIds } = query;
  if (!mentionedIds && COMPARED_FILTERS.every(([name]) => query[name] === null)) return empty;
  const compared = COMPARED_FILTERS.map(
    ([name, column]) =>
      sql`AND (${query[name]}::text[] IS NULL OR ${column} = ANY(${query[name]}::text[]))`,
  );
  return sql`
    ${join(compared, ' ')}
    AND (${mentionedIds}::text[] IS NULL OR EXISTS (
      SELECT 1 FROM annotation_users u
      WHERE u.tenant_id = ${tenantId} AND u.annotation_id = a.annotation_id AND u.mentioned
        AND u.user_id = ANY(${mentionedIds}::text[])))`;
}

const matchesTimes = (query: AnnotationQuery): Sql => sql`
  AND a.created_at > ${query.createdAfter}::bigint
  AND a.created_at < ${query.createdBefore}::bigint
  AND a.last_updated > ${query.updatedAfter}::bigint
  AND a.last_updated < ${query.updatedBefore}::bigint`;
