import type { KeyContext } from '../../../src/api/context.ts';
import { calibrateSuggestions } from '../../../src/features/memory/calibrate/calibrate-suggestions.ts';
import { addJudgments } from '../../../src/features/memory/judgments/add-judgments.ts';
import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import { type Database, sql } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Guess, majorityOf, Neighbours } from './baselines.ts';
import { ASKED_AT, type MemorySet, type SetJudgment, type SetQuestion } from './set/make-set.ts';

export type Method = 'ours' | 'neighbours' | 'full text' | 'majority';

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
  await prepareRanks(db);
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
        'full text': await nearestByRank(db, item),
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

/** Texts as plain full text search indexes them. */
const prepareRanks = (db: Database) =>
  db.query(sql`
    CREATE TABLE plain_judgments AS
    SELECT organization_id, side, created_ms, to_tsvector('english', query) AS words
    FROM memory_judgments WHERE tenant_id = ${TENANT} AND side <> 0`);

/** The decision about the item with the best rank of plain full text search, in the same place. */
async function nearestByRank(db: Database, { query, organizationId }: SetQuestion): Promise<Guess> {
  const place = organizationId ?? null;
  const [found] = await db.query<{ side: number }>(sql`
    WITH asked AS (
      SELECT replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery AS asked
    )
    SELECT side FROM plain_judgments, asked
    WHERE words @@ asked AND (${place}::text IS NULL OR organization_id = ${place})
    ORDER BY ts_rank(words, asked) DESC, created_ms DESC LIMIT 1`);
  return found && (found.side === 1 ? 1 : 0);
}
