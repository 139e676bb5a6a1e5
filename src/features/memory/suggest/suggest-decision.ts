import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { JudgmentScope } from '../judgments/schema.ts';
import { findSimilar, type Precedent, type Search } from '../retrieve/find-similar.ts';
import type { Candidate } from '../retrieve/rank.ts';
import { caveatsOf, topReasons } from './explain.ts';
import { countReviewers, judge, MIN_SUPPORT, round, sideOf } from './judge.ts';
import type { SuggestDecisionInput, Suggestion, Suggestions } from './schema.ts';

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * Suggests the more probable decision by the judgments of similar items, and the opposite one if
 * people dispute the matter (specification 4.12). The result is deterministic: the same judgments,
 * query and time give the same suggestion.
 *
 * @param filterVisible returns those judgments that the caller may see
 */
export async function suggestDecision(
  { db, tenantId, clock }: Context,
  input: SuggestDecisionInput,
  filterVisible: Search['filter'] = async (found) => found,
): Promise<Suggestions> {
  const now = clock.now();
  const scopes = scopesOf(input);
  const found = await findSimilar(db, tenantId, {
    query: input.query,
    scopes,
    decidedOnly: true,
    filter: async (all) => lastOfEachReviewer(await filterVisible(all)),
  });
  const verdict = await judge(input, found);
  if (!verdict) return { primary: null, conflict: null };
  const { approval } = verdict;
  const suggest = (approve: boolean): Suggestion | null => {
    const side = sideOf(verdict.support, approve ? 1 : -1);
    const support = narrowestSupport(side, scopes);
    return (
      support && {
        recommendation: approve ? 'approve' : 'reject',
        confidence: round(approve ? approval : 1 - approval),
        basedOn: support.judgments.length,
        ...support.names,
        topReasons: topReasons(support.judgments),
        uniqueReviewers: countReviewers(support.judgments),
        caveats: caveatsOf(verdict, support.judgments, now),
      }
    );
  };
  const primary = suggest(approval >= 0.5);
  const isSplit = primary !== null && verdict.isDisputed;
  return { primary, conflict: isSplit ? suggest(approval < 0.5) : null };
}

/**
 * Keeps only each reviewer's last judgment of an item, so that repeated approvals count once and a
 * changed mind replaces the former decision.
 */
function lastOfEachReviewer(found: Candidate[]): Candidate[] {
  const inOrder = found.toSorted(
    // Judgments that were added in one call often have the same time. Their positions have the order of the call.
    (a, b) => a.createdMs - b.createdMs || Number(a.position) - Number(b.position),
  );
  return [...new Map(inOrder.map((judgment) => [decisionKeyOf(judgment), judgment])).values()];
}

/**
 * Identifies a reviewer and the item that was judged. In one organization, judgments with the same terms are
 * about one item. Judgments without a reviewer may be by different people, so each of them has its own key.
 */
const decisionKeyOf = (judgment: Candidate): string => {
  const { recordId, reviewerId, organizationId, fingerprint } = judgment;
  return reviewerId === null ? recordId : JSON.stringify([reviewerId, organizationId, fingerprint]);
};

type Scope = JudgmentScope & Pick<Suggestion, 'scope' | 'scopeLabel'>;

/** The scopes that include this one, the narrowest first: its document, its organization and the key. */
function scopesOf({ organizationId, documentId }: JudgmentScope): Scope[] {
  const all: Scope[] = [
    { scope: 'document', scopeLabel: 'This document', organizationId, documentId },
    { scope: 'organization', scopeLabel: 'This organization', organizationId },
    { scope: 'apiKey', scopeLabel: 'All content' },
  ];
  return all.slice(documentId !== undefined ? 0 : organizationId !== undefined ? 1 : 2);
}

/** Returns the judgments and names of the narrowest scope with enough judgments; null if there is none. */
function narrowestSupport(all: Precedent[], scopes: Scope[]) {
  for (const { organizationId, documentId, ...names } of scopes) {
    const judgments = all.filter(
      (one) =>
        (organizationId === undefined || one.organizationId === organizationId) &&
        (documentId === undefined || one.documentId === documentId),
    );
    if (judgments.length >= MIN_SUPPORT) return { names, judgments };
  }
  return null;
}
