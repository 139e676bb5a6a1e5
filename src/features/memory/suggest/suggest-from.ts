import { SCOPE_LABELS } from '../retrieve/scopes.ts';
import { caveatsOf } from './caveats.ts';
import { probabilityOf } from './probability.ts';
import type { Suggestion, Suggestions } from './schema.ts';
import { topReasons } from './top-reasons.ts';
import type { Evidence, Weighed } from './weigh.ts';

/** The fewest judgments that must support a suggested decision. */
const LEAST_SUPPORT = 2;

type ScopeKind = Suggestion['scope'];

/** Suggests the decision that the evidence favours, and the opposite one if it has support, too. */
export function suggestFrom(evidence: Evidence, scope: ScopeKind, now: number): Suggestions {
  const isApproval = evidence.share >= 0.5;
  const suggest = (approve: boolean) => suggestionOf(evidence, approve, scope, now);
  const primary = suggest(isApproval);
  return { primary, conflict: primary && suggest(!isApproval) };
}

function suggestionOf(
  evidence: Evidence,
  approve: boolean,
  scope: ScopeKind,
  now: number,
): Suggestion | null {
  const support = approve ? evidence.for : evidence.against;
  if (support.length < LEAST_SUPPORT) return null;
  const probability = probabilityOf(evidence);
  const confidence = approve ? probability : 1 - probability;
  return {
    recommendation: approve ? 'approve' : 'reject',
    confidence: Math.round(confidence * 1000) / 1000,
    basedOn: support.length,
    scope,
    scopeLabel: SCOPE_LABELS[scope],
    topReasons: topReasons(support),
    uniqueReviewers: reviewersOf(support).size,
    caveats: caveatsOf(evidence, support, now),
  };
}

/** All judgments without a reviewer count as those of one reviewer. */
const reviewersOf = (support: Weighed[]) => new Set(support.map(({ reviewerId }) => reviewerId));
