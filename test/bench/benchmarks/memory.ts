import { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { askAsItHappened, askQuestions, type SetAnswer } from '../memory/ask-set.ts';
import { calibrationOf, conflictsOf, scoresOfSet } from '../memory/score-set.ts';
import { type MemorySet, makeSet } from '../memory/set/make-set.ts';
import { driftingMonths, quietMonths } from '../memory/simulated-months.ts';

/** The tenants: a seed, and the share of decisions against the rules. */
const TENANTS: Array<[seed: number, slips: number]> = [
  [20_264, 0.1],
  [20_265, 0.05],
  [20_266, 0.2],
];

/**
 * Measures whether suggestions are right, as often as their confidence says, compared with a vote of
 * neighbours and with the majority. Also measures whether alerts are created when something changes,
 * and only then.
 */
const memory: Measurement = {
  name: 'memory',
  async measure(postgres) {
    return [
      ...(await measureSet(postgres, 'questions', askQuestions, TENANTS)),
      ...(await measureSet(postgres, 'as it happened', askAsItHappened, TENANTS.slice(0, 1))),
      ...quietMonths(),
      ...driftingMonths(),
    ];
  },
};

/** No parameter was fitted on half of the topics; that none follows the other half shows in both. */
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
  return [
    ...scoresOfSet(`${what}, held-out topics`, heldOut),
    ...scoresOfSet(`${what}, topics for fitting`, fitted),
    ...byTenant,
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
