import { empty, join, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Side } from '../judgments/sides.ts';
import { similarity } from '../text/similarity.ts';
import { MAX_CANDIDATES, type Plan, planOf } from './plan.ts';
import type { QueryTerms } from './query-terms.ts';

/** Where precedents are looked for. */
export type Scope =
  | { kind: 'document'; organizationId: string; documentId: string }
  | { kind: 'organization'; organizationId: string }
  | { kind: 'apiKey' };

export interface SimilarJudgment extends JudgmentRow {
  side: Side;
  similarity: number;
}

interface Search {
  tenantId: string;
  terms: QueryTerms;
  scope: Scope;
  /** Only judgments for or against. */
  decided: boolean;
  least: number;
  limit: number;
}

/** Of a document, the newest are compared whatever their words: there are not many. */
const MAX_OF_DOCUMENT = 500;
/** How far back is looked when every word of a query is frequent. */
const NEWEST = 5_000;

interface Candidate {
  recordId: string;
  /** The keys of its words, as PostgreSQL writes an array. */
  terms: string;
  createdMs: number;
}

/** The judgments most like a query, best first, the newer first among equals: two statements. */
export async function findSimilar(db: Queryable, search: Search): Promise<SimilarJudgment[]> {
  const statement = candidatesOf(search);
  if (!statement) return [];
  const candidates = await db.query<Candidate>(statement);
  const best = candidates
    .map((candidate) => ({
      ...candidate,
      similarity: similarity(search.terms.profile, candidate.terms.slice(1, -1).split(',')),
    }))
    .filter((candidate) => candidate.similarity >= search.least)
    .sort((a, b) => b.similarity - a.similarity || b.createdMs - a.createdMs || byId(a, b))
    .slice(0, search.limit);
  return wholeOf(db, search.tenantId, best);
}

const byId = (a: Candidate, b: Candidate) => (a.recordId < b.recordId ? -1 : 1);

async function wholeOf(
  db: Queryable,
  tenantId: string,
  best: Array<Candidate & { similarity: number }>,
): Promise<SimilarJudgment[]> {
  if (best.length === 0) return [];
  const ids = best.map(({ recordId }) => recordId);
  const rows = await db.query<JudgmentRow & { side: Side }>(sql`
    SELECT ${judgmentColumns}, side FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND record_id = ANY(${ids})`);
  const byRecord = new Map(rows.map((row) => [row.recordId, row]));
  return best.flatMap(({ recordId, similarity }) => {
    const row = byRecord.get(recordId);
    return row ? [{ ...row, similarity }] : [];
  });
}

const COLUMNS = sql`
  record_id AS "recordId", terms::text AS terms, created_ms::float8 AS "createdMs"`;
const NEWEST_FIRST = sql`ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC`;

/** Undefined: no judgment has a word of the query. */
function candidatesOf({ tenantId, terms, scope, decided }: Search): Sql | undefined {
  const ofSide = decided ? sql`AND side <> 0` : empty;
  if (scope.kind === 'document') {
    return sql`
      SELECT ${COLUMNS} FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND organization_id = ${scope.organizationId}
        AND document_id = ${scope.documentId} ${ofSide} ${NEWEST_FIRST} LIMIT ${MAX_OF_DOCUMENT}`;
  }
  const isKey = scope.kind === 'apiKey';
  const vocabulary = isKey ? terms.tenant : terms.organization;
  if (!vocabulary) return undefined;
  const plan = planOf(vocabulary);
  const inScope = isKey
    ? sql`tenant_id = ${tenantId}`
    : sql`tenant_id = ${tenantId} AND organization_id = ${scope.organizationId}`;
  if (plan.newest) {
    return sql`
      SELECT ${COLUMNS} FROM memory_judgments WHERE ${inScope} ${ofSide}
      ${NEWEST_FIRST} LIMIT ${NEWEST}`;
  }
  const column = isKey ? sql`terms` : sql`organization_terms`;
  const conditions = conditionsOf(plan, column);
  if (conditions.length === 0) return undefined;
  return sql`
    SELECT ${COLUMNS} FROM memory_judgments
    WHERE ${inScope} ${ofSide} AND (${join(conditions, ' OR ')})
    ${NEWEST_FIRST} LIMIT ${MAX_CANDIDATES}`;
}

const conditionsOf = ({ any, groups }: Plan, column: Sql): Sql[] => [
  ...(any.length > 0 ? [sql`${column} && ${any}::bigint[]`] : []),
  ...groups.map((group) => sql`${column} @> ${group}::bigint[]`),
];
