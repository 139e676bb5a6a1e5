import type { KeyContext } from '../../../api/context.ts';
import { empty, join, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import { hasFields, judgmentColumn } from '../judgments/query-judgments.ts';
import type {
  FoundJudgment,
  JudgmentScope,
  PresentedJudgment,
  SearchJudgmentsInput,
} from '../judgments/schema.ts';
import type { Stance } from '../judgments/stance.ts';
import { ALL_TERMS, readVector, termKey } from '../text/term-keys.ts';
import { termsOf } from '../text/terms.ts';
import { MAX_CANDIDATES, planSearches } from './plan-searches.ts';
import { type Candidate, type Compared, type Ranked, rank } from './rank.ts';

/** A judgment of an item like the one in question. */
export interface Precedent extends Compared {
  judgment: PresentedJudgment;
  stance: Stance;
}

export interface Search {
  query: string;
  /** The scopes to search, the narrowest first. */
  scopes: JudgmentScope[];
  /** Whether to find only judgments for or against their item, and no neutral ones. */
  decidedOnly: boolean;
  /** Returns the candidates that may be found. It runs before the most similar ones are chosen. */
  filter?: ((candidates: Candidate[]) => Promise<Candidate[]>) | undefined;
}

/** Finds the judgments most similar to a query, with four statements. */
export async function findSimilar(
  db: Queryable,
  tenantId: string,
  { query, scopes, decidedOnly, filter = async (candidates) => candidates }: Search,
): Promise<Ranked<Precedent>> {
  const organizationId = scopes[0]?.organizationId;
  const words = [...termsOf(query)];
  const terms = new Map(words.map(([word, times]) => [termKey(tenantId, null, word), times]));
  const organizationKeys = new Set(
    organizationId === undefined
      ? []
      : words.map(([word]) => termKey(tenantId, organizationId, word)),
  );
  const allKey = termKey(tenantId, null, ALL_TERMS);
  const counts = await readCounts(db, tenantId, [allKey, ...terms.keys(), ...organizationKeys]);
  const total = counts.get(allKey) ?? 0;
  const selections = scopes.flatMap((scope) => {
    const inScope = sql`${hasFields(tenantId, scope)} ${decidedOnly ? sql`AND side <> 0` : empty}`;
    if (scope.documentId !== undefined) return selectNewest(inScope, MAX_IN_DOCUMENT);
    const [keys, column] =
      scope.organizationId === undefined
        ? [terms, sql`terms`]
        : [organizationKeys, sql`organization_terms`];
    const countsInScope = new Map([...counts].filter(([key]) => keys.has(key)));
    if (countsInScope.size === 0) return [];
    const searches = planSearches(countsInScope, total);
    // If every word is too frequent to search for, the newest judgments are compared.
    if (searches.length === 0) return selectNewest(inScope, MAX_CANDIDATES);
    return selectFound(searches, column, inScope);
  });
  const candidates = await readCandidates(db, selections);
  // The counts of all candidates' terms would be tens of thousands of rows. So a first ranking treats all terms
  // that are not in the query as rare, and only the best judgments are ranked again with the counts of their terms.
  const filtered = await filter(candidates);
  const best = await rank(terms, organizationId, filtered, total, counts);
  const keysOfBest = new Set(best.judgments.flatMap((judgment) => [...judgment.terms.keys()]));
  for (const [key, count] of await readCounts(db, tenantId, [...keysOfBest]))
    counts.set(key, count);
  const ranked = await rank(terms, organizationId, best.judgments, total, counts);
  return { ...ranked, judgments: await readJudgments(db, tenantId, ranked.judgments) };
}

/** Returns how many of the tenant's judgments have each term, by the keys of those terms that occur. */
async function readCounts(
  db: Queryable,
  tenantId: string,
  keys: string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ term: string; judgments: number }>(sql`
    SELECT term, judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${keys}) AND judgments > 0`);
  return new Map(rows.map(({ term, judgments }) => [term, judgments]));
}

/** The most judgments of a document that are compared, the newest first. */
const MAX_IN_DOCUMENT = 500;

const newestFirst = sql`ORDER BY created_ms DESC, position DESC`;
const candidateColumns = sql`
  record_id AS "recordId", position, terms::text AS terms, organization_id AS "organizationId",
  document_id AS "documentId", document_deleted_ms IS NOT NULL AS "isDocumentDeleted",
  reviewer_id AS "reviewerId", created_ms::float8 AS "createdMs", fingerprint::text AS fingerprint`;

async function readCandidates(db: Queryable, selections: Sql[]): Promise<Candidate[]> {
  if (selections.length === 0) return [];
  const rows = await db.query<Omit<Candidate, 'terms'> & { terms: string }>(sql`
    (${join(selections, ') UNION (')})`);
  return rows.map((row) => ({ ...row, terms: readVector(row.terms) }));
}

const selectNewest = (inScope: Sql, limit: number): Sql =>
  sql`SELECT ${candidateColumns} FROM memory_judgments WHERE ${inScope} ${newestFirst} LIMIT ${limit}`;

/**
 * Reads judgments that match one of the text searches. OFFSET 0 makes PostgreSQL look up each of them
 * by the index of terms first: without statistics, or in a generic plan, it would rather read all
 * judgments of the tenant by time. The keys are hashes that include the tenant, so that the lookup
 * finds no judgments of other tenants. The outer SELECT turns `terms` into text, for the newest judgments only.
 */
const selectFound = (searches: string[], column: Sql, inScope: Sql): Sql => sql`
  SELECT ${candidateColumns} FROM (
    SELECT DISTINCT ON (created_ms, position) record_id, position, terms, organization_id,
      document_id, document_deleted_ms, reviewer_id, created_ms, fingerprint
    FROM unnest(${searches}::tsquery[]) AS asked(search)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments /* all tenants */ WHERE ${column} @@ asked.search OFFSET 0
    ) AS judgment
    WHERE ${inScope} ${newestFirst} LIMIT ${MAX_CANDIDATES}) AS newest`;

/** Reads the compared judgments, each separately, so that PostgreSQL does not read all judgments of the tenant. */
async function readJudgments(
  db: Queryable,
  tenantId: string,
  compared: Compared[],
): Promise<Precedent[]> {
  if (compared.length === 0) return [];
  const rows = await db.query<Pick<Precedent, 'judgment' | 'stance'>>(sql`
    SELECT ${judgmentColumn}, side AS stance
    FROM unnest(${compared.map(({ recordId }) => recordId)}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS found`);
  const read = new Map(rows.map((row) => [row.judgment.recordId, row]));
  return compared.flatMap((one) => {
    const row = read.get(one.recordId);
    return row ? { ...one, ...row } : [];
  });
}

/** Below this similarity, texts have no more in common than any two texts. */
const MIN_SIMILARITY = 0.1;

/**
 * Finds the judgments most similar to a text, in the scope that the input names.
 *
 * @param filterVisible returns those judgments that the caller may see
 */
export async function searchJudgments(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  { query, limit, ...scope }: SearchJudgmentsInput,
  filterVisible?: Search['filter'],
): Promise<FoundJudgment[]> {
  const search = { query, scopes: [scope], decidedOnly: false, filter: filterVisible };
  const { judgments } = await findSimilar(db, tenantId, search);
  return judgments
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .slice(0, limit)
    .map(({ judgment, similarity }) => ({
      ...judgment,
      similarity: Math.round(similarity * 1000) / 1000,
    }));
}
