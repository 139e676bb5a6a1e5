import { SCOPE_LABELS, type Scope } from '../retrieve/scopes.ts';
import { caveatsOf } from './caveats.ts';
import type { Evidence, Weighed } from './evidence.ts';
import type { Suggestion, Suggestions } from './schema.ts';
import { topReasons } from './top-reasons.ts';

/** The fewest judgments that must support a suggested decision. */
const LEAST_SUPPORT = 2;
/** The minority's share of the weight from which on the evidence counts as split. */
const SPLIT = 0.12;

interface Asked {
  evidence: Evidence;
  /** The probability of an approval. */
  probability: number;
  /** The scopes of the question, the narrowest first. */
  scopes: Scope[];
  now: number;
}

/**
 * Suggests the more probable decision, and the opposite one if the evidence is split or has changed
 * its direction.
 */
export function suggestFrom(asked: Asked): Suggestions {
  const { evidence, probability } = asked;
  const isApproval = probability >= 0.5;
  const isSplit = minorityOf(evidence) >= SPLIT;
  const primary = suggestionOf(asked, isApproval, isSplit);
  const isConflict = isSplit || evidence.reversedAt !== undefined;
  return {
    primary,
    conflict: primary && isConflict ? suggestionOf(asked, !isApproval, isSplit) : null,
  };
}

function minorityOf(evidence: Evidence): number {
  const [pro, contra] = [sumOf(evidence.for), sumOf(evidence.against)];
  return Math.min(pro, contra) / Math.max(Number.MIN_VALUE, pro + contra);
}

const sumOf = (weighed: Weighed[]) => weighed.reduce((sum, { weight }) => sum + weight, 0);

function suggestionOf(
  { evidence, probability, scopes, now }: Asked,
  approve: boolean,
  isSplit: boolean,
): Suggestion | null {
  const all = approve ? evidence.for : evidence.against;
  const scope = scopes.find((one) => within(one, all).length >= LEAST_SUPPORT);
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
    uniqueReviewers: reviewersOf(support).size,
    caveats: caveatsOf(evidence, support, { approve, isSplit, now }),
  };
}

const within = (scope: Scope, support: Weighed[]): Weighed[] =>
  support.filter(
    ({ organizationId, documentId }) =>
      scope.kind === 'apiKey' ||
      (organizationId === scope.organizationId &&
        (scope.kind === 'organization' || documentId === scope.documentId)),
  );

/** All judgments without a reviewer count as those of one reviewer. */
const reviewersOf = (support: Weighed[]) => new Set(support.map(({ reviewerId }) => reviewerId));
