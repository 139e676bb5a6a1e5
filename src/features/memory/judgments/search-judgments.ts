import type { KeyContext } from '../../../api/context.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { findSimilar } from '../retrieve/find-similar.ts';
import { queryTerms } from '../retrieve/query-terms.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { presentJudgment } from './judgment-row.ts';
import type { FoundJudgment, SearchJudgmentsInput } from './schema.ts';

/** Below this, texts have no more in common than any two. */
const LEAST = 0.1;

/**
 * The judgments most like a text, in the narrowest place that is named.
 *
 * @param meaning what the text says, where judgments in other words are to be found as well
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
