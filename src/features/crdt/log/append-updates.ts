import type { Services } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { editorLock, updateInsertion, type Written } from './append-sql.ts';
import { type Append, type AppendOutcome, isAppended } from './append-types.ts';
import { missingLogInsertion } from './logs.ts';

type Dependencies = Pick<Services, 'db' | 'events' | 'clock'>;

/**
 * Commits updates of any number of editors, and the events that they publish, in one transaction. Without
 * `alongside`, this takes one round trip. For an update that is refused, the reason is returned.
 *
 * @param alsoWrite writes in the same transaction, unless nothing is appended
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

/** Sends the whole transaction at once, since no statement depends on the result of another. */
async function appendAtOnce(
  deps: Dependencies,
  appends: readonly Append[],
): Promise<AppendOutcome[]> {
  const { creation, lock, write } = statementsFor(deps, appends);
  let written: Written[] = [];
  await deps.db.transaction(async (tx) => {
    if (creation) tx.beforeCommit(creation);
    tx.beforeCommit(lock);
    tx.beforeCommit<Written>(write, {
      use: (rows) => {
        written = rows;
      },
    });
  });
  if (hasPublished(written)) deps.events.wake();
  return outcomesOf(appends, written);
}

/** Appends updates within a transaction that is committed later. */
export async function appendWithin(
  tx: Transaction,
  deps: Dependencies,
  appends: readonly Append[],
): Promise<AppendOutcome[]> {
  const { creation, lock, write } = statementsFor(deps, appends);
  const [, , written] = await pipeline([
    creation && tx.query(creation),
    tx.query(lock),
    tx.query<Written>(write),
  ]);
  if (hasPublished(written)) tx.afterCommit(() => deps.events.wake());
  return outcomesOf(appends, written);
}

const hasPublished = (written: readonly Written[]): boolean =>
  written.some(({ isPublished }) => isPublished);

function statementsFor(deps: Dependencies, appends: readonly Append[]) {
  requireDifferentLogs(appends);
  const now = new Date(deps.clock.now());
  const mayLackLog = appends.filter(({ logId }) => logId === undefined).map(({ name }) => name);
  return {
    creation: mayLackLog.length > 0 ? missingLogInsertion(mayLackLog, now) : undefined,
    lock: editorLock(appends),
    write: updateInsertion(deps, appends, now),
  };
}

/** Refuses two updates of one editor, of which PostgreSQL would apply only one. */
function requireDifferentLogs(appends: readonly Append[]): void {
  const logs = appends.map(({ name, logId }) =>
    JSON.stringify([name.tenantId, name.organizationId, name.documentId, name.editorId, logId]),
  );
  if (new Set(logs).size === logs.length) return;
  throw new Error('A batch may contain only one update of each editor.');
}

/** Rolls the transaction back at once, so that no editor stays locked in a longer outer transaction. */
class NothingAppended extends Error {
  readonly outcomes: AppendOutcome[];

  constructor(outcomes: AppendOutcome[]) {
    super('None of the updates can be appended.');
    this.outcomes = outcomes;
  }
}

/** An update of a missing editor has no row, and an update that was refused has no version. */
function outcomesOf(appends: readonly Append[], written: readonly Written[]): AppendOutcome[] {
  const outcomes = appends.map((): AppendOutcome => 'gone');
  for (const { position, logId, version, eventAt, claimedBy } of written) {
    if (version !== null) outcomes[position] = { logId, version, eventAt };
    else outcomes[position] = claimedBy.length > 0 ? { claimedBy } : 'overtaken';
  }
  return outcomes;
}
