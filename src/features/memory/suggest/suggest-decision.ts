import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type Scope, scopesOf } from '../retrieve/scopes.ts';
import { evidenceFor, type KnownOf } from './evidence-for.ts';
import { caveatsOf, reviewersOf, topReasons } from './explain.ts';
import type { Verdict, Weighed } from './judge.ts';
import { probabilityOf, SCORE_VERSION, USUAL_SLOPE } from './probability.ts';
import type { SuggestDecisionInput, Suggestion, Suggestions } from './schema.ts';

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

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
  knownOf?: KnownOf,
): Promise<Suggestions> {
  const now = clock.now();
  const verdict = await evidenceFor(db, tenantId, { ...input, now }, { knownOf });
  if (!verdict) return { primary: null, conflict: null };
  const approval = probabilityOf(verdict.score, await slopeOf(db, tenantId));
  const suggest = (approve: boolean) =>
    suggestionOf(verdict, approve ? 'approve' : 'reject', scopesOf(input), {
      confidence: Math.round((approve ? approval : 1 - approval) * 1000) / 1000,
      now,
    });
  const primary = suggest(approval >= 0.5);
  const isSplit = primary !== null && verdict.isDisputed;
  return { primary, conflict: isSplit ? suggest(approval < 0.5) : null };
}

/** The slope that was fitted to the tenant's judgments, or the usual one. */
async function slopeOf(db: Queryable, tenantId: string): Promise<number> {
  const [fitted] = await db.query<{ slope: number }>(sql`
    SELECT slope FROM memory_calibrations
    WHERE tenant_id = ${tenantId} AND version = ${SCORE_VERSION}::int`);
  return fitted?.slope ?? USUAL_SLOPE;
}

/** Rests on the judgments of the narrowest scope that has enough of them, if there is one. */
function suggestionOf(
  verdict: Verdict,
  recommendation: Suggestion['recommendation'],
  scopes: Scope[],
  { confidence, now }: { confidence: number; now: number },
): Suggestion | null {
  const all = recommendation === 'approve' ? verdict.for : verdict.against;
  const scope = scopes.find((one) => within(one, all).length >= MIN_SUPPORT);
  if (!scope) return null;
  const support = within(scope, all);
  return {
    recommendation,
    confidence,
    basedOn: support.length,
    scope: scope.kind,
    scopeLabel: SCOPE_LABELS[scope.kind],
    topReasons: topReasons(support),
    uniqueReviewers: reviewersOf(support),
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
