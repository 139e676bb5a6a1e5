import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { Finding } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { UNRELATED } from './by-hand.ts';
import { NOW } from './labelled.ts';

/** To what nothing is like, there is nothing to suggest. */
export async function unrelatedFindings(db: Database): Promise<Finding> {
  const ctx = { db, clock: { now: () => NOW }, tenantId: TENANT };
  let answered = 0;
  for (const query of UNRELATED) {
    const { primary } = await suggestDecision(ctx, { query });
    if (primary) answered += 1;
  }
  return {
    label: '  unrelated items',
    value: `${answered} of ${UNRELATED.length} answered`,
    target: '0',
    met: answered === 0,
  };
}
