import type { KeyContext } from '../../../api/context.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { findSimilar } from '../retrieve/find-similar.ts';
import { queryTerms } from '../retrieve/query-terms.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { presentJudgment } from './judgment-row.ts';
import type { FoundJudgment, SearchJudgmentsInput } from './schema.ts';

/** Texts less similar than this have no more in common than any two texts. */
const LEAST = 0.1;

/**
 * Finds the judgments most similar to a text, in the narrowest scope that is named.
 *
 * @param embedding the vector of the text, to find paraphrases as well
 */
export async function searchJudgments(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  { query, limit, ...place }: SearchJudgmentsInput,
  embedding?: QueryEmbedding,
): Promise<FoundJudgment[]> {
  const terms = await queryTerms(db, tenantId, query, place.organizationId);
  const [scope] = scopesOf(place);
  const found = await findSimilar(db, {
    tenantId,
    terms,
    scope,
    embedding,
    decided: false,
    least: LEAST,
    limit,
  });
  return found.map((row) => ({
    ...presentJudgment(row),
    similarity: Math.round(row.similarity * 1000) / 1000,
  }));
}
