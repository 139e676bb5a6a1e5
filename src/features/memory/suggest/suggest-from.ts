import { SCOPE_LABELS, type Scope } from '../retrieve/scopes.ts';
import { caveatsOf } from './caveats.ts';
import type { Verdict, Weighed } from './judge.ts';
import type { Suggestion, Suggestions } from './schema.ts';
import { topReasons } from './top-reasons.ts';

/** The fewest judgments that must support a suggested decision. */
const MIN_SUPPORT = 2;

interface Asked {
  verdict: Verdict;
  /** The probability of an approval. */
  probability: number;
  /** The scopes of the question, the narrowest first. */
  scopes: Scope[];
  now: number;
}

/** Suggests the more probable decision, and the opposite one if people dispute the matter. */
export function suggestFrom(asked: Asked): Suggestions {
  const isApproval = asked.probability >= 0.5;
  const primary = suggestionOf(asked, isApproval);
  const isSplit = primary !== null && asked.verdict.isDisputed;
  return { primary, conflict: isSplit ? suggestionOf(asked, !isApproval) : null };
}

function suggestionOf(
  { verdict, probability, scopes, now }: Asked,
  approve: boolean,
): Suggestion | null {
  const all = approve ? verdict.for : verdict.against;
  const scope = scopes.find((one) => within(one, all).length >= MIN_SUPPORT);
  if (!scope) return null;
  const support = within(scope, all);
  const confidence = approve ? probability : 1 - probability;
  return {
    recommendation: approve ? 'approve' : 'reject',
    confidence: Math.round(confidence * 1000) / 1000,
    basedOn: support.length,
    scope: scope.kind,
    scopeLabel: SCOPE_LABELS[scope.kind],
    topReasons: topReasons(support),
    // All judgments without a reviewer count as those of one reviewer.
    uniqueReviewers: new Set(support.map(({ reviewerId }) => reviewerId)).size,
    caveats: caveatsOf(verdict, support, now),
  };
}

const within = (scope: Scope, support: Weighed[]): Weighed[] =>
  support.filter(
    ({ organizationId, documentId }) =>
      scope.kind === 'apiKey' ||
      (organizationId === scope.organizationId &&
        (scope.kind === 'organization' || documentId === scope.documentId)),
  );
