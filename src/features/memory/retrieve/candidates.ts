import { empty, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import type { Place } from '../judgments/schema.ts';
import { readVector } from '../text/term-keys.ts';
import { MAX_CANDIDATES, planOf, type WordGroup } from './plan.ts';
import type { QueryTerms } from './query-terms.ts';
import type { Candidate } from './rank.ts';

/** A set of judgments that is searched: those of a document, an organization or a key. */
export type Scope =
  | { kind: 'document'; organizationId: string; documentId: string }
  | { kind: 'organization'; organizationId: string }
  | { kind: 'apiKey' };

/** The scopes of an organization or document, the narrowest first. */
export function scopesOf({ organizationId, documentId }: Place): [Scope, ...Scope[]] {
  const key: Scope = { kind: 'apiKey' };
  if (organizationId === undefined) return [key];
  const organization: Scope = { kind: 'organization', organizationId };
  if (documentId === undefined) return [organization, key];
  return [{ kind: 'document', organizationId, documentId }, organization, key];
}

interface CandidateSearch {
  asked: QueryTerms;
  scope: Scope;
  /** Only judgments for or against. */
  decided: boolean;
}

/** A document's newest judgments are all compared, since there are few of them. */
const MAX_OF_DOCUMENT = 500;

const NEWEST_FIRST = sql`ORDER BY created_ms DESC, position DESC`;
const COLUMNS = sql`
  record_id AS "recordId", terms::text AS terms, organization_id AS "organizationId",
  created_ms::float8 AS "createdMs"`;

/** Reads the judgments of a scope that may be similar to a query, a bounded number of them. */
export async function readCandidates(
  db: Queryable,
  tenantId: string,
  { asked, scope, decided }: CandidateSearch,
): Promise<Candidate[]> {
  const inScope = sql`tenant_id = ${tenantId}
    ${scope.kind === 'apiKey' ? empty : sql`AND organization_id = ${scope.organizationId}`}
    ${scope.kind === 'document' ? sql`AND document_id = ${scope.documentId}` : empty}
    ${decided ? sql`AND side <> 0` : empty}`;
  const isKey = scope.kind === 'apiKey';
  const plan = planOf(isKey ? asked.counted : asked.countedThere, asked.all);
  const isAll = scope.kind === 'document' || plan.newest;
  if (!isAll && plan.groups.length === 0) return [];
  const rows = await db.query<Omit<Candidate, 'terms'> & { terms: string }>(
    isAll
      ? sql`SELECT ${COLUMNS} FROM memory_judgments WHERE ${inScope} ${NEWEST_FIRST}
          LIMIT ${scope.kind === 'document' ? MAX_OF_DOCUMENT : MAX_CANDIDATES}`
      : withWords(plan.groups, isKey ? sql`terms` : sql`organization_terms`, inScope),
  );
  return rows.map((row) => ({ ...row, terms: readVector(row.terms) }));
}

/**
 * Reads judgments with the words of one of the groups. OFFSET 0 makes PostgreSQL look up each group
 * by the index of terms first: without statistics, or in a generic plan, it would rather read all
 * judgments of the tenant by time. The keys are hashes that include the tenant, so that the lookup
 * finds no judgments of other tenants. Only the newest judgments' words are turned into text.
 */
const withWords = (groups: WordGroup[], column: Sql, inScope: Sql): Sql => sql`
  SELECT ${COLUMNS} FROM (
    SELECT DISTINCT ON (created_ms, position) record_id, terms, organization_id, created_ms
    FROM unnest(${groups.map(asTsquery)}::tsquery[]) AS asked(words)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments /* all tenants */ WHERE ${column} @@ asked.words OFFSET 0
    ) AS judgment
    WHERE ${inScope} ${NEWEST_FIRST} LIMIT ${MAX_CANDIDATES}) AS newest`;

/** A word group in PostgreSQL's syntax: `'a' & ('b' | 'c')`. */
const asTsquery = ({ word, others }: WordGroup): string =>
  others.length === 0
    ? `'${word}'`
    : `'${word}' & (${others.map((other) => `'${other}'`).join(' | ')})`;
