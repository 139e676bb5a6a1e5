import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import type { Wanted } from './filters.ts';

/**
 * The filter whose index a page is read from; the others are checked on what it finds. There is an
 * index for each, in the order of pages, so that a page costs the same however many annotations
 * there are. What usually selects fewest comes first.
 */
export interface Driver {
  /** The index is read once for each, and the readings are merged. */
  values: string[];
  /** SQL: `AND` the row `a` has the value `wanted.value`. */
  condition: Sql;
  /** Mentions stand in a table of their own. */
  byMention: boolean;
  /** It may select a large part of all annotations. */
  isWide: boolean;
  /** What is left to check. */
  rest: Wanted;
}

type ListName = {
  [Name in keyof Wanted]: Wanted[Name] extends string[] | null ? Name : never;
}[keyof Wanted];

const IN_ORDER: Array<[ListName, Sql]> = [
  ['executionIds', sql`AND a.execution_id = wanted.value`],
  ['documentIds', sql`AND a.document_id = wanted.value`],
  ['mentionedIds', sql`AND m.user_id = wanted.value`],
  ['resolverIds', sql`AND a.resolved_by = wanted.value`],
  ['agentIds', sql`AND a.agent_id = wanted.value`],
  ['authorIds', sql`AND a.author_id = wanted.value`],
  ['locationKeys', sql`AND a.location_key = wanted.value`],
  ['folderIds', sql`AND a.folder_id = wanted.value`],
  ['agentKinds', sql`AND a.agent_kind = wanted.value`],
  ['agentTypes', sql`AND a.agent_type = wanted.value`],
  ['agentSources', sql`AND a.agent_source = wanted.value`],
  ['statusIds', sql`AND a.status_id = wanted.value`],
];

const WIDE = new Set<ListName>(['agentKinds', 'agentTypes', 'agentSources', 'statusIds']);

export function driverOf(wanted: Wanted): Driver {
  for (const [name, condition] of IN_ORDER) {
    const values = wanted[name];
    if (values) {
      const byMention = name === 'mentionedIds';
      const isWide = WIDE.has(name);
      return { values, condition, byMention, isWide, rest: { ...wanted, [name]: null } };
    }
  }
  // The whole organization or key, in one reading.
  return { values: [''], condition: empty, byMention: false, isWide: true, rest: wanted };
}

/** SQL: `AND` the row `a` is wanted. One text, whatever is asked for, so that texts stay few. */
export const isWanted = (tenantId: string, wanted: Wanted): Sql => sql`
  AND (${wanted.annotationIds}::text[] IS NULL OR a.annotation_id = ANY(${wanted.annotationIds}::text[]))
  AND (${wanted.documentIds}::text[] IS NULL OR a.document_id = ANY(${wanted.documentIds}::text[]))
  AND (${wanted.folderIds}::text[] IS NULL OR a.folder_id = ANY(${wanted.folderIds}::text[]))
  AND (${wanted.locationKeys}::text[] IS NULL OR a.location_key = ANY(${wanted.locationKeys}::text[]))
  AND (${wanted.authorIds}::text[] IS NULL OR a.author_id = ANY(${wanted.authorIds}::text[]))
  AND (${wanted.resolverIds}::text[] IS NULL OR a.resolved_by = ANY(${wanted.resolverIds}::text[]))
  AND (${wanted.agentIds}::text[] IS NULL OR a.agent_id = ANY(${wanted.agentIds}::text[]))
  AND (${wanted.executionIds}::text[] IS NULL OR a.execution_id = ANY(${wanted.executionIds}::text[]))
  AND (${wanted.agentTypes}::text[] IS NULL OR a.agent_type = ANY(${wanted.agentTypes}::text[]))
  AND (${wanted.agentSources}::text[] IS NULL OR a.agent_source = ANY(${wanted.agentSources}::text[]))
  AND (${wanted.agentKinds}::text[] IS NULL OR a.agent_kind = ANY(${wanted.agentKinds}::text[]))
  AND (${wanted.statusIds}::text[] IS NULL OR a.status_id = ANY(${wanted.statusIds}::text[]))
  AND (${wanted.mentionedIds}::text[] IS NULL OR EXISTS (
    SELECT 1 FROM annotation_users u
    WHERE u.tenant_id = ${tenantId} AND u.annotation_id = a.annotation_id AND u.mentioned
      AND u.user_id = ANY(${wanted.mentionedIds}::text[])))
  AND a.created_at > ${wanted.createdAfter}::bigint
  AND a.created_at < ${wanted.createdBefore}::bigint
  AND a.last_updated > ${wanted.updatedAfter}::bigint
  AND a.last_updated < ${wanted.updatedBefore}::bigint`;
