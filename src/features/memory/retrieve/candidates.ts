import { empty, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import type { Place } from '../judgments/schema.ts';
import { readVector } from '../text/term-keys.ts';
import { MAX_CANDIDATES, type Plan } from './plan.ts';
import type { Candidate } from './rank.ts';

interface CandidateSearch {
  /** The judgments to search: those of a document, an organization or the key. */
  scope: Place;
  plan: Plan;
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
  { scope: { organizationId, documentId }, plan, decided }: CandidateSearch,
): Promise<Candidate[]> {
  const isDocument = documentId !== undefined;
  const isKey = organizationId === undefined;
  const inScope = sql`tenant_id = ${tenantId}
    ${isKey ? empty : sql`AND organization_id = ${organizationId}`}
    ${isDocument ? sql`AND document_id = ${documentId}` : empty}
    ${decided ? sql`AND side <> 0` : empty}`;
  const isAll = isDocument || plan.newest;
  if (!isAll && plan.words.length === 0) return [];
  const rows = await db.query<Omit<Candidate, 'terms'> & { terms: string }>(
    isAll
      ? sql`SELECT ${COLUMNS} FROM memory_judgments WHERE ${inScope} ${NEWEST_FIRST}
          LIMIT ${isDocument ? MAX_OF_DOCUMENT : MAX_CANDIDATES}`
      : withWords(plan.words, isKey ? sql`terms` : sql`organization_terms`, inScope),
  );
  return rows.map((row) => ({ ...row, terms: readVector(row.terms) }));
}

/**
 * Reads judgments that match one of the text searches. OFFSET 0 makes PostgreSQL look up each of them
 * by the index of terms first: without statistics, or in a generic plan, it would rather read all
 * judgments of the tenant by time. The keys are hashes that include the tenant, so that the lookup
 * finds no judgments of other tenants. Only the newest judgments' words are turned into text.
 */
const withWords = (words: string[], column: Sql, inScope: Sql): Sql => sql`
  SELECT ${COLUMNS} FROM (
    SELECT DISTINCT ON (created_ms, position) record_id, terms, organization_id, created_ms
    FROM unnest(${words}::tsquery[]) AS asked(words)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments /* all tenants */ WHERE ${column} @@ asked.words OFFSET 0
    ) AS judgment
    WHERE ${inScope} ${NEWEST_FIRST} LIMIT ${MAX_CANDIDATES}) AS newest`;
