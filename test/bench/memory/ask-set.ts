import type { KeyContext } from '../../../src/api/context.ts';
import { addJudgments } from '../../../src/features/memory/judgments/store-judgments.ts';
import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Guess, majorityOf, Neighbours } from './baselines.ts';
import { ASKED_AT, type MemorySet, type SetQuestion } from './make-set.ts';

export type Method = 'server' | 'neighbours' | 'majority';

/** A question with what each method answered. */
export interface SetAnswer {
  item: SetQuestion;
  /** Whether a conflict was suggested. */
  conflict: boolean;
  guesses: Record<Method, Guess>;
}

const BATCH = 500;

/** Asks the questions of a set after all its judgments. */
export async function askQuestions(db: Database, set: MemorySet): Promise<SetAnswer[]> {
  const ctx = { db, clock: { now: () => ASKED_AT }, tenantId: TENANT } as KeyContext;
  const { judgments } = set;
  for (let from = 0; from < judgments.length; from += BATCH) {
    await addJudgments(ctx, { judgments: judgments.slice(from, from + BATCH) });
  }
  const neighbours = new Neighbours(judgments);
  const answers: SetAnswer[] = [];
  for (const item of set.questions) {
    const { query, organizationId } = item;
    const place = organizationId === undefined ? {} : { organizationId };
    const { primary, conflict } = await suggestDecision(ctx, { query, ...place });
    const isApproval = primary?.recommendation === 'approve';
    const server = primary && (isApproval ? primary.confidence : 1 - primary.confidence);
    answers.push({
      item,
      conflict: conflict !== null,
      guesses: {
        server: server ?? undefined,
        neighbours: neighbours.guess(item),
        majority: majorityOf(judgments, item),
      },
    });
  }
  return answers;
}
