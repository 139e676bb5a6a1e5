import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { type Scope, scopesOf } from '../retrieve/candidates.ts';
import { findSimilar, type SimilarJudgment } from '../retrieve/find-similar.ts';
import { caveatsOf, topReasons } from './explain.ts';
import { judge, reviewersOf, type Verdict } from './judge.ts';
import { approvalOf } from './probability.ts';
import type { SuggestDecisionInput, Suggestion, Suggestions } from './schema.ts';

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/** Returns the judgments that a caller may know of. */
export type KnownOf = (found: SimilarJudgment[]) => Promise<SimilarJudgment[]>;

/** The fewest judgments that must support a suggested decision. */
const MIN_SUPPORT = 2;

const SCOPE_LABELS: Record<Scope['kind'], string> = {
  document: 'This document',
  organization: 'This organization',
  apiKey: 'All content',
};

/**
 * Suggests the more probable decision by the judgments of similar items, and the opposite one if
 * people dispute the matter (4.12). The result is deterministic: the same judgments, query and time
 * give the same suggestion.
 *
 * @param knownOf leaves out the judgments that the caller may not know of
 */
export async function suggestDecision(
  { db, tenantId, clock }: Context,
  input: SuggestDecisionInput,
  knownOf: KnownOf = async (found) => found,
): Promise<Suggestions> {
  const question = { ...input, now: clock.now() };
  const found = await findSimilar(db, tenantId, { ...input, decided: true });
  const judgments = await knownOf(found.judgments);
  const verdict = await judge(question, { ...found, judgments });
  if (!verdict) return { primary: null, conflict: null };
  const approval = approvalOf(verdict.score, verdict.for.length + verdict.against.length);
  const suggest = (approve: boolean): Suggestion | null => {
    const support = supportOf(verdict, approve, scopesOf(input));
    return (
      support && {
        recommendation: approve ? 'approve' : 'reject',
        confidence: Math.round((approve ? approval : 1 - approval) * 1000) / 1000,
        basedOn: support.judgments.length,
        scope: support.scope,
        scopeLabel: SCOPE_LABELS[support.scope],
        topReasons: topReasons(support.judgments),
        uniqueReviewers: reviewersOf(support.judgments),
        caveats: caveatsOf(verdict, support.judgments, question.now),
      }
    );
  };
  const primary = suggest(approval >= 0.5);
  const isSplit = primary !== null && verdict.isDisputed;
  return { primary, conflict: isSplit ? suggest(approval < 0.5) : null };
}

/** The judgments of the narrowest scope that has enough of them for the decision. */
function supportOf(verdict: Verdict, approve: boolean, scopes: Scope[]) {
  for (const scope of scopes) {
    const judgments = (approve ? verdict.for : verdict.against).filter(
      ({ organizationId, documentId }) =>
        scope.kind === 'apiKey' ||
        (organizationId === scope.organizationId &&
          (scope.kind === 'organization' || documentId === scope.documentId)),
    );
    if (judgments.length >= MIN_SUPPORT) return { scope: scope.kind, judgments };
  }
  return null;
}
