import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { askAsItHappened, askQuestions, type SetAnswer } from '../memory/ask-set.ts';
import { drawCoverage, drawReliability } from '../memory/draw.ts';
import { UNRELATED } from '../memory/handwritten.ts';
import { type Labelled, wholeSet } from '../memory/labelled.ts';
import { type Answered, asItHappened, leaveOneOut } from '../memory/leave-one-out.ts';
import { scores } from '../memory/score.ts';
import { calibrationOf, conflictsOf, scoresOfSet } from '../memory/score-set.ts';
import { type MemorySet, makeSet } from '../memory/set/make-set.ts';
import { driftingMonths, quietMonths } from '../memory/simulated-months.ts';
import { isHeldOut } from '../memory/topics.ts';
import { answeredUnrelated } from '../memory/unrelated.ts';

/**
 * Seeds other than those that the constants of src/features/memory/suggest were chosen with (1, 2,
 * 3).
 */
const SEEDS = [20_261, 20_262, 20_263];

/** The tenants of the large set: a seed, and the share of decisions against the rules. */
const TENANTS: Array<[seed: number, slips: number]> = [
  [20_264, 0.1],
  [20_265, 0.05],
  [20_266, 0.2],
];

type Ask = (db: Database, set: Labelled[]) => Promise<Answered[]>;

/**
 * Measures whether suggestions are right, as often as their confidence says, compared with two
 * baselines: the majority of the judgments, and the decision about the nearest item by plain
 * full-text rank. Also measures whether alerts are created when something changes, and only then.
 */
const memory: Measurement = {
  name: 'memory',
  async measure(postgres) {
    return [
      ...(await measureSet(postgres, 'questions', askQuestions, TENANTS)),
      ...(await measureSet(postgres, 'as it happened', askAsItHappened, TENANTS.slice(0, 1))),
      ...(await measure(postgres, 'leave one out', leaveOneOut)),
      ...(await measure(postgres, 'as it happened', asItHappened)),
      ...quietMonths(),
      ...driftingMonths(),
    ];
  },
};

/**
 * Parameters were fitted on half of the topics. What is quoted is the other half; that no parameter
 * follows one half too closely is seen by both.
 */
async function measureSet(
  postgres: Postgres,
  what: string,
  ask: (db: Database, set: MemorySet) => Promise<SetAnswer[]>,
  tenants: typeof TENANTS,
): Promise<Finding[]> {
  const all: SetAnswer[] = [];
  const byTenant: Finding[] = [];
  for (const [seed, slips] of tenants) {
    const answers = await withDatabase(postgres, (db) => ask(db, makeSet(seed, slips)));
    all.push(...answers);
    const label = `${what}, ${100 * slips} % slips:`;
    byTenant.push(calibrationOf(label, answers));
    if (what === 'questions') byTenant.push(conflictsOf(label, answers));
  }
  const [heldOut, fitted] = [true, false].map((isHeldOut) =>
    all.filter(({ item }) => item.isHeldOut === isHeldOut),
  ) as [SetAnswer[], SetAnswer[]];
  if (what === 'questions') drawAll(heldOut);
  return [
    ...scoresOfSet(`${what}, held-out topics`, heldOut),
    ...scoresOfSet(`${what}, topics for fitting`, fitted),
    ...byTenant,
  ];
}

const IMAGES = path.join(import.meta.dirname, '../../../docs/decision-memory');

/** Draws what docs/decision-memory.md shows. */
function drawAll(answers: SetAnswer[]): void {
  mkdirSync(IMAGES, { recursive: true });
  writeFileSync(path.join(IMAGES, 'reliability.svg'), drawReliability(answers));
  writeFileSync(path.join(IMAGES, 'coverage.svg'), drawCoverage(answers));
}

/** Several sets, each in its own memory, because a single one depends on chance. */
async function measure(postgres: Postgres, what: string, ask: Ask): Promise<Finding[]> {
  const answers: Answered[] = [];
  let unrelated = 0;
  for (const seed of SEEDS) {
    await withDatabase(postgres, async (db) => {
      answers.push(...(await ask(db, wholeSet(seed))));
      unrelated += await answeredUnrelated(db);
    });
  }
  const unseen = answers.filter(({ judgment }) => isHeldOut(judgment.topic));
  return [
    ...scores(what, answers),
    ...scores(`${what}, unseen topics`, unseen),
    {
      label: '  unrelated items',
      value: `${unrelated} of ${SEEDS.length * UNRELATED.length} answered`,
      target: '0',
      met: unrelated === 0,
    },
  ];
}

const withDatabase = <Result>(
  postgres: Postgres,
  work: (db: Database) => Promise<Result>,
): Promise<Result> =>
  withFilled(
    postgres,
    async () => undefined,
    async (url) => {
      const db = new Database({ url, poolSize: 2, log: createLogger('silent') });
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    },
  );

export default memory;
