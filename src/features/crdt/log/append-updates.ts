import type { Services } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { type AppendResult, editorLock, updateInsertion } from './append-sql.ts';
import { type Append, type AppendOutcome, isAppended } from './append-types.ts';
import { missingLogInsertion } from './logs.ts';

type Dependencies = Pick<Services, 'db' | 'events' | 'clock'>;

/**
 * Commits updates of any number of editors, and the events that they publish, in one transaction. This
 * takes one round trip, unless there is `alsoWrite` or the operation commits later.
 *
 * @param alsoWrite writes in the same transaction, unless nothing is appended
 * @returns what became of each update, in the same order
 */
export async function appendUpdates(
  deps: Dependencies,
  appends: readonly Append[],
  alsoWrite?: (tx: Transaction) => Promise<void>,
): Promise<AppendOutcome[]> {
  if (!alsoWrite && !deps.db.commitsLater) return appendAtOnce(deps, appends);
  try {
    return await deps.db.transaction(async (tx) => {
      const outcomes = await appendWithin(tx, deps, appends);
      if (!outcomes.some(isAppended)) throw new NothingAppended(outcomes);
      await alsoWrite?.(tx);
      return outcomes;
    });
  } catch (error) {
    if (error instanceof NothingAppended) return error.outcomes;
    throw error;
  }
}

/** Sends the whole transaction at once. No statement depends on the result of another. */
async function appendAtOnce(
  deps: Dependencies,
  appends: readonly Append[],
): Promise<AppendOutcome[]> {
  const { creation, lock, write } = statementsFor(deps, appends);
  let results: AppendResult[] = [];
  await deps.db.transaction(async (tx) => {
    if (creation) tx.beforeCommit(creation);
    tx.beforeCommit(lock);
    tx.beforeCommit<AppendResult>(write, {
      use: (rows) => {
        results = rows;
      },
    });
  });
  if (hasPublished(results)) deps.events.wake();
  return outcomesOf(appends, results);
}

/** Appends updates within a transaction that is committed later. */
export async function appendWithin(
  tx: Transaction,
  deps: Dependencies,
  appends: readonly Append[],
): Promise<AppendOutcome[]> {
  const { creation, lock, write } = statementsFor(deps, appends);
  const [, , results] = await pipeline([
    creation && tx.query(creation),
    tx.query(lock),
    tx.query<AppendResult>(write),
  ]);
  if (hasPublished(results)) tx.afterCommit(() => deps.events.wake());
  return outcomesOf(appends, results);
}

const hasPublished = (results: readonly AppendResult[]): boolean =>
  results.some(({ isPublished }) => isPublished);

function statementsFor(deps: Dependencies, appends: readonly Append[]) {
  requireDifferentLogs(appends);
  const now = new Date(deps.clock.now());
  const withoutLogId = appends.filter(({ logId }) => logId === undefined).map(({ name }) => name);
  return {
    creation: withoutLogId.length > 0 ? missingLogInsertion(withoutLogId, now) : undefined,
    lock: editorLock(appends),
    write: updateInsertion(deps, appends, now),
  };
}

/** Requires that no editor has two updates: PostgreSQL would apply only one of them. */
function requireDifferentLogs(appends: readonly Append[]): void {
  const logs = appends.map(({ name, logId }) =>
    JSON.stringify([name.tenantId, name.organizationId, name.documentId, name.editorId, logId]),
  );
  if (new Set(logs).size === logs.length) return;
  throw new Error('A batch may contain only one update of each editor.');
}

/** Thrown to roll the transaction back, so that no editor stays locked in a longer outer transaction. */
class NothingAppended extends Error {
  readonly outcomes: AppendOutcome[];

  constructor(outcomes: AppendOutcome[]) {
    super('None of the updates can be appended.');
    this.outcomes = outcomes;
  }
}

/** Converts results to outcomes. An update of a missing editor has no result, a refused update no version. */
function outcomesOf(appends: readonly Append[], results: readonly AppendResult[]): AppendOutcome[] {
  const outcomes = appends.map((): AppendOutcome => 'gone');
  for (const { position, logId, version, eventAt, claimedBy } of results) {
    if (version !== null) outcomes[position] = { logId, version, eventAt };
    else outcomes[position] = claimedBy.length > 0 ? { claimedBy } : 'overtaken';
  }
  return outcomes;
}
