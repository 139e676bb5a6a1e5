import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { findSimilar, type Scope, type SimilarJudgment } from '../retrieve/find-similar.ts';
import { queryTerms } from '../retrieve/query-terms.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import type { SuggestDecisionInput, Suggestions } from './schema.ts';
import { suggestFrom } from './suggest-from.ts';
import { LEAST_SIMILARITY } from './weigh.ts';

/** How many judgments speak at most; the next ones are less alike still. */
const MAX_EVIDENCE = 30;

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * What was decided about items like this one, in the narrowest scope that has evidence (4.12).
 * Deterministic: the same judgments, question and time give the same answer. A place that nobody
 * has judged anything in has no precedent, and the next wider scope is asked.
 */
export async function suggestDecision(
  ctx: Context,
  { query, ...place }: SuggestDecisionInput,
): Promise<Suggestions> {
  const terms = await queryTerms(ctx.db, ctx.tenantId, query, place.organizationId);
  for (const scope of scopesOf(place)) {
    const found = await findEvidence(ctx, terms, scope);
    const suggestions = suggestFrom(found, scope.kind, ctx.clock.now());
    if (suggestions.primary) return suggestions;
  }
  return { primary: null, conflict: null };
}

const findEvidence = (
  { db, tenantId }: Context,
  terms: Awaited<ReturnType<typeof queryTerms>>,
  scope: Scope,
): Promise<SimilarJudgment[]> =>
  findSimilar(db, {
    tenantId,
    terms,
    scope,
    decided: true,
    least: LEAST_SIMILARITY,
    limit: MAX_EVIDENCE,
  });
