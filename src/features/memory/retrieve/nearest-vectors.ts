import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { dot, vectorOf } from '../embeddings/vectors.ts';
import { type Candidate, type CandidateSearch, type Compared, newestOf } from './candidates.ts';

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
): Promise<Compared[]> {
  const rows = await db.query<Candidate & { vector: Buffer }>(sql`
    SELECT judgment.*, embedding.vector
    FROM (${newestOf(search, MAX_COMPARED)}) AS judgment
    CROSS JOIN LATERAL (
      SELECT vector FROM memory_embeddings
      WHERE tenant_id = ${search.tenantId} AND record_id = judgment."recordId"
        AND model = ${model} OFFSET 0) AS embedding`);
  return rows
    .map(({ vector: bytes, ...candidate }) => {
      const cosine = dot(vector, vectorOf(bytes));
      return { ...candidate, similarity: (cosine - unrelated) / (1 - unrelated) };
    })
    .filter(({ similarity }) => similarity >= LEAST);
}
