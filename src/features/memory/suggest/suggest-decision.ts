import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { evidenceFor } from './evidence-for.ts';
import { probabilityOf } from './probability.ts';
import type { SuggestDecisionInput, Suggestions } from './schema.ts';
import { slopeOf } from './slope-of.ts';
import { suggestFrom } from './suggest-from.ts';

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * Suggests a decision by the judgments of similar items, those of the narrowest scope first of all
 * (4.12). The result is deterministic: the same judgments, query and time give the same suggestion.
 *
 * @param embedding the vector of the query, to find paraphrases as well
 */
export async function suggestDecision(
  { db, tenantId, clock }: Context,
  input: SuggestDecisionInput,
  embedding?: QueryEmbedding,
): Promise<Suggestions> {
  const now = clock.now();
  const [evidence, slope] = await Promise.all([
    evidenceFor({ db, tenantId, question: { ...input, now }, embedding }),
    slopeOf(db, tenantId),
  ]);
  if (!evidence) return { primary: null, conflict: null };
  const probability = probabilityOf(evidence.score, slope);
  return suggestFrom({ evidence, probability, scopes: scopesOf(input), now });
}
