import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { findSimilar, type SimilarJudgment } from '../retrieve/find-similar.ts';
import { type QueryTerms, queryTerms } from '../retrieve/query-terms.ts';
import { type Scope, scopesOf } from '../retrieve/scopes.ts';
import { lastOfEachReviewer } from './last-of-each-reviewer.ts';
import type { SuggestDecisionInput, Suggestions } from './schema.ts';
import { suggestFrom } from './suggest-from.ts';
import { LEAST_SIMILARITY, weigh } from './weigh.ts';

/** The most judgments that count as evidence; further ones are less similar still. */
const MAX_EVIDENCE = 30;
/** How many judgments are read, since several may be one reviewer's about the same item. */
const MAX_FOUND = 100;

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * Suggests a decision by the judgments of similar items, in the narrowest scope that has evidence
 * (4.12). The evidence of a wider scope is the prior of the next narrower one. The result is
 * deterministic: the same judgments, query and time give the same suggestion.
 *
 * @param embedding the vector of the query, to find paraphrases as well
 */
export async function suggestDecision(
  ctx: Context,
  { query, ...place }: SuggestDecisionInput,
  embedding?: QueryEmbedding,
): Promise<Suggestions> {
  const terms = await queryTerms(ctx.db, ctx.tenantId, query, place.organizationId);
  const now = ctx.clock.now();
  const asked = { tenantId: ctx.tenantId, terms, embedding };
  let answer: Suggestions = { primary: null, conflict: null };
  let wider = 0.5;
  for (const scope of scopesOf(place).reverse()) {
    const evidence = weigh(await findEvidence(ctx.db, asked, scope), now, wider);
    const suggestions = suggestFrom(evidence, scope.kind, now);
    if (suggestions.primary) answer = suggestions;
    wider = evidence.share;
  }
  return answer;
}

interface Asked {
  tenantId: string;
  terms: QueryTerms;
  embedding: QueryEmbedding | undefined;
}

async function findEvidence(db: Queryable, asked: Asked, scope: Scope): Promise<SimilarJudgment[]> {
  const search = { ...asked, scope, decided: true, least: LEAST_SIMILARITY, limit: MAX_FOUND };
  return lastOfEachReviewer(await findSimilar(db, search)).slice(0, MAX_EVIDENCE);
}
