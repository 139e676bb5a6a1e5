import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { TENANT } from '../harness/credentials.ts';
import { UNRELATED } from './handwritten.ts';
import { NOW } from './labelled.ts';

/** The rate of suggestions for items unlike all others. */
export async function answeredUnrelated(db: Database): Promise<number> {
  const ctx = { db, clock: { now: () => NOW }, tenantId: TENANT };
  let answered = 0;
  for (const query of UNRELATED) {
    const { primary } = await suggestDecision(ctx, { query });
    if (primary) answered += 1;
  }
  return answered;
}
