import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { Append, Appended, Rejection } from './append.ts';
import { createMissing } from './create-missing.ts';
import { eventPlan } from './event-plan.ts';
import { publishUpdates, type Step } from './publish-updates.ts';
import {
  type LockedRow,
  lockRows,
  type Pair,
  type Written,
  writeUpdates,
} from './write-updates.ts';

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
}

/**
 * Commits what is new in any number of editors in one transaction, with the events that are due:
 * two statements, a third when an editor is new, one more when an event is published or becomes due, and
 * one for each tenant with events. An update that cannot be stored is left out, and its reason returned.
 */
export async function appendUpdates(
  parts: Parts,
  appends: readonly Append[],
): Promise<Array<Appended | Rejection>> {
  try {
    return await parts.db.transaction((tx) => appendIn(tx, parts, appends));
  } catch (error) {
    if (error instanceof NothingAppended) return error.outcomes;
    throw error;
  }
}

/** Rolls the transaction back at once, so that no editor stays locked in a longer outer transaction. */
class NothingAppended extends Error {
  readonly outcomes: Rejection[];

  constructor(outcomes: Rejection[]) {
    super('None of the updates can be taken.');
    this.outcomes = outcomes;
  }
}

async function appendIn(
  tx: Transaction,
  { db, events, clock }: Parts,
  appends: readonly Append[],
): Promise<Array<Appended | Rejection>> {
  const unknown = appends.filter(({ logId }) => logId === undefined);
  const names = unknown.map(({ name }) => name);
  await createMissing(tx, names, new Date(clock.now()));
  const pairs = pairsOf(appends, await lockRows(tx, appends));
  // Take the time after acquiring the locks.
  const now = new Date(clock.now());
  const written = pairs.length > 0 ? await writeUpdates(tx, db, pairs, now) : [];
  const steps = stepsOf(pairs, written, now);
  const rejections = new Map(pairs.map(({ append, row }) => [append, rejectionOf(row, written)]));
  if (steps.length === 0) {
    throw new NothingAppended(appends.map((append) => rejections.get(append) ?? 'gone'));
  }
  await publishUpdates(tx, events, steps, now);
  const outcomes = new Map<Append, Appended | Rejection>(rejections);
  for (const { append, row, version, plan } of steps) {
    outcomes.set(append, { logId: row.logId, version, eventAt: plan.eventAt });
  }
  return appends.map((append) => outcomes.get(append) ?? 'gone');
}

function rejectionOf({ logId }: LockedRow, written: readonly Written[]): Rejection {
  const claimedBy = written.find((one) => one.logId === logId)?.claimedBy ?? [];
  return claimedBy.length > 0 ? { claimedBy } : 'overtaken';
}

function pairsOf(appends: readonly Append[], locked: readonly LockedRow[]): Pair[] {
  const pairs = locked.flatMap((row) => {
    const append = appends[row.position - 1];
    return append ? [{ append, row }] : [];
  });
  if (new Set(pairs.map(({ row }) => row.logId)).size < pairs.length) {
    // PostgreSQL would update a row for only one of two inputs.
    throw new Error('Updates of one editor go into its log one by one.');
  }
  return pairs;
}

function stepsOf(pairs: readonly Pair[], written: readonly Written[], now: Date): Step[] {
  const versions = new Map(written.map(({ logId, version }) => [logId, version]));
  return pairs.flatMap(({ append, row }): Step[] => {
    const version = versions.get(row.logId) ?? null;
    const plan = eventPlan(row, append.content !== undefined, now);
    return version === null ? [] : [{ append, row, version, plan }];
  });
}
