import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { dot, vectorOf } from '../embeddings/vectors.ts';
import { type CandidateSearch, newestOf } from './candidates.ts';

export interface NearJudgment {
  recordId: string;
  createdMs: number;
  similarity: number;
}

/** How many of the newest judgments are compared; reading more would take too long. */
const MAX_COMPARED = 2_000;
/**
 * Half way between unrelated texts and equal texts: paraphrases are usually above it, and other
 * texts on the same topic below. It is twice the limit for words, because a model finds something
 * in common in any two texts. The value was chosen, not fitted to data.
 */
const LEAST = 0.5;

/**
 * Finds judgments whose vectors are near to the query's, whatever their words, in one statement.
 * OFFSET 0 looks up each vector by its key instead of reading all vectors of the tenant.
 */
export async function nearestByVector(
  db: Queryable,
  search: CandidateSearch,
  { model, vector, unrelated }: QueryEmbedding,
): Promise<NearJudgment[]> {
  const rows = await db.query<{ recordId: string; createdMs: number; vector: Buffer }>(sql`
    SELECT judgment."recordId", judgment."createdMs", embedding.vector
    FROM (${newestOf(search, MAX_COMPARED)}) AS judgment
    CROSS JOIN LATERAL (
      SELECT vector FROM memory_embeddings
      WHERE tenant_id = ${search.tenantId} AND record_id = judgment."recordId"
        AND model = ${model} OFFSET 0) AS embedding`);
  return rows
    .map(({ recordId, createdMs, vector: bytes }) => {
      const cosine = dot(vector, vectorOf(bytes));
      return { recordId, createdMs, similarity: (cosine - unrelated) / (1 - unrelated) };
    })
    .filter(({ similarity }) => similarity >= LEAST);
}
