import { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { type Labelled, wholeSet } from '../memory/labelled.ts';
import { type Answered, asItHappened, leaveOneOut } from '../memory/leave-one-out.ts';
import { driftingMonths, quietMonths } from '../memory/months.ts';
import { scores } from '../memory/score.ts';
import { isHeldOut } from '../memory/topics.ts';
import { unrelatedFindings } from '../memory/unrelated.ts';

/** Not one of those with which the constants of src/features/memory/suggest were chosen (1, 2, 3). */
const SEED = 20_261;

type Ask = (db: Database, set: Labelled[]) => Promise<Answered[]>;

/**
 * Whether suggestions are right, and as often as they say, against two baselines: what most
 * judgments were, and the decision about the nearest item by plain full-text rank. And whether
 * alerts are raised when something changes, and only then.
 */
const memory: Measurement = {
  name: 'memory',
  async measure(postgres) {
    const set = wholeSet(SEED);
    return [
      ...(await measure(postgres, 'leave one out', leaveOneOut, set)),
      ...(await measure(postgres, 'as it happened', asItHappened, set)),
      ...quietMonths(),
      ...driftingMonths(),
    ];
  },
};

const measure = (postgres: Postgres, what: string, ask: Ask, set: Labelled[]) =>
  withDatabase(postgres, async (db): Promise<Finding[]> => {
    const answers = await ask(db, set);
    const unseen = answers.filter(({ judgment }) => isHeldOut(judgment.topic));
    return [
      ...scores(what, answers),
      ...scores(`${what}, unseen topics`, unseen),
      await unrelatedFindings(db),
    ];
  });

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
