import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import type { AnnotationQuery } from './filters.ts';

/**
 * The filter whose index a page is read from. The other filters are checked on the rows that the
 * index finds. Every filter has an index in the order of pages, so a page costs the same however
 * many annotations there are.
 */
export interface ChosenIndex {
  /** The index is read once for each of these values, and the readings are merged. */
  values: string[];
  /** SQL: `AND` the row `a` has the value `chosen.value`. */
  condition: Sql;
  /** Whether the rows are mentions, which have a table of their own. */
  byMention: boolean;
  /** Whether the filter may select a large part of all annotations. */
  isWide: boolean;
  /** The filters that are left to check. */
  rest: AnnotationQuery;
}

type ListName = {
  [Name in keyof AnnotationQuery]: AnnotationQuery[Name] extends string[] | null ? Name : never;
}[keyof AnnotationQuery];

/** The filters that usually select the fewest annotations come first. */
const IN_ORDER: Array<[ListName, Sql]> = [
  ['executionIds', sql`AND a.execution_id = chosen.value`],
  ['documentIds', sql`AND a.document_id = chosen.value`],
  ['mentionedIds', sql`AND m.user_id = chosen.value`],
  ['resolverIds', sql`AND a.resolved_by = chosen.value`],
  ['agentIds', sql`AND a.agent_id = chosen.value`],
  ['authorIds', sql`AND a.author_id = chosen.value`],
  ['locationKeys', sql`AND a.location_key = chosen.value`],
  ['folderIds', sql`AND a.folder_id = chosen.value`],
  ['agentKinds', sql`AND a.agent_kind = chosen.value`],
  ['agentTypes', sql`AND a.agent_type = chosen.value`],
  ['agentSources', sql`AND a.agent_source = chosen.value`],
  ['statusIds', sql`AND a.status_id = chosen.value`],
];

const WIDE = new Set<ListName>(['agentKinds', 'agentTypes', 'agentSources', 'statusIds']);

export function chooseIndex(query: AnnotationQuery): ChosenIndex {
  for (const [name, condition] of IN_ORDER) {
    const values = query[name];
    if (values) {
      const byMention = name === 'mentionedIds';
      const isWide = WIDE.has(name);
      return { values, condition, byMention, isWide, rest: { ...query, [name]: null } };
    }
  }
  // No filter has an index: read the whole organization or key, once.
  return { values: [''], condition: empty, byMention: false, isWide: true, rest: query };
}

/**
 * SQL: the annotations with these ids, as a table `a`. Each is looked up by itself (OFFSET 0 keeps it
 * so): with the conditions of `matchesQuery`, a plan for any values could read a whole organization.
 */
export const namedAnnotations = (tenantId: string, annotationIds: string[]): Sql => sql`
  unnest(${annotationIds}::text[]) AS named(id) CROSS JOIN LATERAL (
    SELECT * FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = named.id OFFSET 0
  ) AS a`;

/** SQL: `AND` the row `a` matches the query. All queries share one text, so that few plans are kept. */
export const matchesQuery = (tenantId: string, query: AnnotationQuery): Sql => sql`
  AND (${query.annotationIds}::text[] IS NULL OR a.annotation_id = ANY(${query.annotationIds}::text[]))
  AND (${query.documentIds}::text[] IS NULL OR a.document_id = ANY(${query.documentIds}::text[]))
  AND (${query.folderIds}::text[] IS NULL OR a.folder_id = ANY(${query.folderIds}::text[]))
  AND (${query.locationKeys}::text[] IS NULL OR a.location_key = ANY(${query.locationKeys}::text[]))
  AND (${query.authorIds}::text[] IS NULL OR a.author_id = ANY(${query.authorIds}::text[]))
  AND (${query.resolverIds}::text[] IS NULL OR a.resolved_by = ANY(${query.resolverIds}::text[]))
  AND (${query.agentIds}::text[] IS NULL OR a.agent_id = ANY(${query.agentIds}::text[]))
  AND (${query.executionIds}::text[] IS NULL OR a.execution_id = ANY(${query.executionIds}::text[]))
  AND (${query.agentTypes}::text[] IS NULL OR a.agent_type = ANY(${query.agentTypes}::text[]))
  AND (${query.agentSources}::text[] IS NULL OR a.agent_source = ANY(${query.agentSources}::text[]))
  AND (${query.agentKinds}::text[] IS NULL OR a.agent_kind = ANY(${query.agentKinds}::text[]))
  AND (${query.statusIds}::text[] IS NULL OR a.status_id = ANY(${query.statusIds}::text[]))
  AND (${query.mentionedIds}::text[] IS NULL OR EXISTS (
    SELECT 1 FROM annotation_users u
    WHERE u.tenant_id = ${tenantId} AND u.annotation_id = a.annotation_id AND u.mentioned
      AND u.user_id = ANY(${query.mentionedIds}::text[])))
  AND a.created_at > ${query.createdAfter}::bigint
  AND a.created_at < ${query.createdBefore}::bigint
  AND a.last_updated > ${query.updatedAfter}::bigint
  AND a.last_updated < ${query.updatedBefore}::bigint`;
