import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Side } from '../judgments/sides.ts';
import { similarity } from '../text/similarity.ts';
import { type Candidate, type CandidateSearch, candidatesOf } from './candidates.ts';

export interface SimilarJudgment extends JudgmentRow {
  side: Side;
  similarity: number;
}

interface Search extends CandidateSearch {
  least: number;
  limit: number;
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

/** Each is looked up by itself, lest all of the tenant are read for a few. */
async function wholeOf(
  db: Queryable,
  tenantId: string,
  best: Array<Candidate & { similarity: number }>,
): Promise<SimilarJudgment[]> {
  if (best.length === 0) return [];
  const ids = best.map(({ recordId }) => recordId);
  const rows = await db.query<JudgmentRow & { side: Side }>(sql`
    SELECT ${judgmentColumns}, side FROM unnest(${ids}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  const byRecord = new Map(rows.map((row) => [row.recordId, row]));
  return best.flatMap(({ recordId, similarity }) => {
    const row = byRecord.get(recordId);
    return row ? [{ ...row, similarity }] : [];
  });
}
