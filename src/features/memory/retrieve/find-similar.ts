import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Place } from '../judgments/schema.ts';
import { readCandidates, scopesOf } from './candidates.ts';
import { countKeys, queryTerms } from './query-terms.ts';
import { type Candidate, type Ranked, rank, type Similar } from './rank.ts';

export type SimilarJudgment = Similar<JudgmentRow>;

export interface Search extends Place {
  query: string;
  /** Only judgments for or against. */
  decided: boolean;
  /** Only the narrowest scope of the place, instead of the wider ones as well. */
  narrow?: boolean;
}

/** Finds the judgments most similar to a query, with three statements and one for each scope. */
export async function findSimilar(
  db: Queryable,
  tenantId: string,
  search: Search,
): Promise<Ranked<JudgmentRow>> {
  const { query, organizationId, decided, narrow } = search;
  const asked = await queryTerms(db, tenantId, query, organizationId);
  const [narrowest, ...wider] = scopesOf(search);
  const candidates = new Map<string, Candidate>();
  for (const scope of narrow ? [narrowest] : [narrowest, ...wider]) {
    for (const one of await readCandidates(db, tenantId, { asked, scope, decided })) {
      candidates.set(one.recordId, one);
    }
  }
  const { terms, all } = asked;
  const counts = new Map(asked.counted.map(({ key, judgments }) => [key, judgments]));
  const compare = (some: Iterable<Candidate>, usual = 0) =>
    rank(terms, organizationId, some, { all, counts }, usual);
  // The counts of all candidates' terms would be tens of thousands of rows, so that those that the
  // query lacks are taken for as frequent as the query's, until the best are known.
  const known = [...counts.values()].filter((count) => count > 0);
  const usual = known.reduce((sum, count) => sum + count, 0) / Math.max(1, known.length);
  const { judgments: nearly } = await compare(candidates.values(), usual);
  const keys = new Set(nearly.flatMap((one) => [...one.terms.keys()]));
  for (const [key, count] of await countKeys(db, tenantId, [...keys])) counts.set(key, count);
  const best = await compare(nearly);
  const rows = await readJudgments(db, tenantId, best.judgments);
  return {
    ...best,
    judgments: best.judgments.flatMap(({ similarity, vector, recordId }) => {
      const row = rows.get(recordId);
      return row ? [{ ...row, similarity, vector }] : [];
    }),
  };
}

/** Looks up each judgment separately, so that PostgreSQL does not read all of the tenant's. */
async function readJudgments(db: Queryable, tenantId: string, found: Candidate[]) {
  if (found.length === 0) return new Map<string, JudgmentRow>();
  const rows = await db.query<JudgmentRow>(sql`
    SELECT ${judgmentColumns}
    FROM unnest(${found.map(({ recordId }) => recordId)}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  return new Map(rows.map((row) => [row.recordId, row]));
}
