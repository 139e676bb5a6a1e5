import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { evidenceFor } from './evidence-for.ts';
import { probabilityOf, SCORE_VERSION, USUAL_SLOPE } from './probability.ts';
import type { SuggestDecisionInput, Suggestions } from './schema.ts';
import { suggestFrom } from './suggest-from.ts';

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * Suggests a decision by the judgments of similar items, those of the narrowest scope first of all
 * (4.12). The result is deterministic: the same judgments, query and time give the same suggestion.
 */
export async function suggestDecision(
  { db, tenantId, clock }: Context,
  input: SuggestDecisionInput,
): Promise<Suggestions> {
  const now = clock.now();
  const verdict = await evidenceFor({ db, tenantId, question: { ...input, now } });
  if (!verdict) return { primary: null, conflict: null };
  const probability = probabilityOf(verdict.score, await slopeOf(db, tenantId));
  return suggestFrom({ verdict, probability, scopes: scopesOf(input), now });
}

/** The slope that was fitted to the tenant's judgments, or the usual one. */
async function slopeOf(db: Queryable, tenantId: string): Promise<number> {
  const [fitted] = await db.query<{ slope: number }>(sql`
    SELECT slope FROM memory_calibrations
    WHERE tenant_id = ${tenantId} AND version = ${SCORE_VERSION}::int`);
  return fitted?.slope ?? USUAL_SLOPE;
}
