import type { KeyContext } from '../../../src/api/context.ts';
import { calibrateSuggestions } from '../../../src/features/memory/calibrate/calibrate-suggestions.ts';
import { addJudgments } from '../../../src/features/memory/judgments/add-judgments.ts';
import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Guess, majorityOf, Neighbours } from './baselines.ts';
import { ASKED_AT, type MemorySet, type SetJudgment, type SetQuestion } from './set/make-set.ts';

export type Method = 'ours' | 'neighbours' | 'majority';

/** A question with what each method answered, and the right answer where there is one. */
export interface SetAnswer {
  item: SetQuestion | SetJudgment;
  right: boolean | undefined;
  /** Whether a conflict was suggested. */
  conflict: boolean;
  guesses: Partial<Record<Method, Guess>>;
}

const BATCH = 500;

const contextAt = (db: Database, now: number) => ({
  db,
  clock: { now: () => now },
  tenantId: TENANT,
});

async function add(db: Database, judgments: SetJudgment[]): Promise<void> {
  const ctx = contextAt(db, ASKED_AT) as KeyContext;
  for (let at = 0; at < judgments.length; at += BATCH) {
    await addJudgments(ctx, { judgments: judgments.slice(at, at + BATCH) });
  }
}

/** Asks the questions of a set after all its judgments. */
export async function askQuestions(db: Database, set: MemorySet): Promise<SetAnswer[]> {
  await add(db, set.judgments);
  await calibrate(db);
  const neighbours = new Neighbours();
  for (const judgment of set.judgments) neighbours.add(judgment);
  const answers: SetAnswer[] = [];
  for (const item of set.questions) {
    const { guess, conflict } = await ask(db, item, ASKED_AT);
    answers.push({
      item,
      right: item.rule,
      conflict,
      guesses: {
        ours: guess,
        neighbours: neighbours.guess(item),
        majority: majorityOf(set.judgments, item),
      },
    });
  }
  return answers;
}

/** Asks about each judgment at its time, and adds it then, so that only earlier ones are known. */
export async function askAsItHappened(db: Database, set: MemorySet): Promise<SetAnswer[]> {
  const neighbours = new Neighbours();
  const answers: SetAnswer[] = [];
  for (const [index, item] of set.judgments.entries()) {
    const { guess, conflict } = await ask(db, item, item.createdAt);
    answers.push({
      item,
      right: item.approved,
      conflict,
      guesses: {
        ours: guess,
        neighbours: neighbours.guess(item),
        majority: majorityOf(set.judgments.slice(0, index), item),
      },
    });
    neighbours.add(item);
    await add(db, [item]);
  }
  return answers;
}

async function ask(
  db: Database,
  { query, organizationId }: SetQuestion | SetJudgment,
  now: number,
): Promise<{ guess: Guess; conflict: boolean }> {
  const place = organizationId === undefined ? {} : { organizationId };
  const { primary, conflict } = await suggestDecision(contextAt(db, now), { query, ...place });
  if (!primary) return { guess: undefined, conflict: false };
  const { recommendation, confidence } = primary;
  return {
    guess: recommendation === 'approve' ? confidence : 1 - confidence,
    conflict: conflict !== null,
  };
}

/** What a worker does in the background, once judgments were added. */
const calibrate = (db: Database) =>
  calibrateSuggestions({ ...contextAt(db, ASKED_AT + 3_600_000), log: createLogger('silent') });
