import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import { MAX_CANDIDATES, planOf, type WordGroup } from './plan.ts';
import type { QueryTerms } from './query-terms.ts';
import type { Scope } from './scopes.ts';

/** A judgment that may be similar to a query. */
export interface Candidate {
  recordId: string;
  /** The keys of its terms, as a tsvector in PostgreSQL's notation. */
  terms: string;
  organizationId: string | null;
  createdMs: number;
}

export interface CandidateSearch {
  tenantId: string;
  terms: QueryTerms;
  scope: Scope;
  /** Only judgments for or against. */
  decided: boolean;
}

/** A document's newest judgments are all compared, since there are few of them. */
const MAX_OF_DOCUMENT = 500;

const COLUMNS = sql`
  record_id AS "recordId", terms::text AS terms, organization_id AS "organizationId",
  created_ms::float8 AS "createdMs"`;

/** The statement that reads the candidates, or undefined when none has a word of the query. */
export function candidatesOf(search: CandidateSearch): Sql | undefined {
  const { terms, scope } = search;
  if (scope.kind === 'document') return newestOf(search, MAX_OF_DOCUMENT);
  const isKey = scope.kind === 'apiKey';
  const vocabulary = isKey ? terms.tenant : terms.organization;
  if (!vocabulary) return undefined;
  const plan = planOf(vocabulary);
  if (plan.newest) return newestOf(search, MAX_CANDIDATES);
  return plan.groups.length === 0 ? undefined : withWords(search, plan.groups);
}

const ofSide = ({ decided }: CandidateSearch): Sql => (decided ? sql`AND side <> 0` : empty);
const NEWEST_FIRST = sql`ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC`;

/** SQL: the judgment belongs to the tenant, and to the organization or document of the scope. */
function inScope({ tenantId, scope }: CandidateSearch): Sql {
  const ofTenant = sql`tenant_id = ${tenantId}`;
  if (scope.kind === 'apiKey') return ofTenant;
  const ofOrganization = sql`${ofTenant} AND organization_id = ${scope.organizationId}`;
  if (scope.kind === 'organization') return ofOrganization;
  return sql`${ofOrganization} AND document_id = ${scope.documentId}`;
}

/** The statement that reads the newest judgments of a scope, whatever their text. */
const newestOf = (search: CandidateSearch, limit: number): Sql => sql`
  SELECT ${COLUMNS} FROM memory_judgments
  WHERE ${inScope(search)} ${ofSide(search)} ${NEWEST_FIRST} LIMIT ${limit}`;

/**
 * Reads judgments with the words of one of the groups. OFFSET 0 makes PostgreSQL look up each group
 * by the index of terms first: without statistics, or in a generic plan, it would rather read all
 * judgments of the tenant by time. The keys are hashes that include the tenant, so that the lookup
 * finds no judgments of other tenants. Only the newest judgments' words are turned into text.
 */
function withWords(search: CandidateSearch, groups: WordGroup[]): Sql {
  const column = search.scope.kind === 'apiKey' ? sql`terms` : sql`organization_terms`;
  return sql`
    SELECT ${COLUMNS} FROM (
      SELECT DISTINCT ON (created_ms, position) record_id, terms, organization_id, created_ms
      FROM unnest(${groups.map(asTsquery)}::tsquery[]) AS asked(words)
      CROSS JOIN LATERAL (
        SELECT * FROM memory_judgments /* all tenants */ WHERE ${column} @@ asked.words OFFSET 0
      ) AS judgment
      WHERE ${inScope(search)} ${ofSide(search)}
      ORDER BY created_ms DESC, position DESC LIMIT ${MAX_CANDIDATES}) AS newest`;
}

/** A word group in PostgreSQL's syntax: `'a' & ('b' | 'c')`. */
function asTsquery({ every, some }: WordGroup): string {
  const lexemes = (keys: string[]) => keys.map((key) => `'${key}'`);
  return [...lexemes(every), `(${lexemes(some).join(' | ')})`].join(' & ');
}
