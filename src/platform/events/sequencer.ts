import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { coalesceCalls } from '../coalesce-calls.ts';
import { type Database, type Queryable, sql } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import { BackgroundLoop } from '../loops/background-loop.ts';
import type { DueWork } from '../loops/due-work.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { lockSequencer, MAX_MOVED, MAX_MOVED_OF_TENANT, moveFromOutbox } from './move-events.ts';

/** After how many moved rows the outbox is vacuumed. */
const VACUUM_ROWS = 20_000;
/**
 * After a move, the sequencer pauses for this many times as long as the move took, up to a limit, so
 * that events gather. Under load, the readers are then woken once for many changes. A single event does
 * not wait.
 */
const GATHER_FACTOR = 4;
const MAX_GATHER_MS = 15;
/** How long an event may wait before writers are slowed down. */
const LATE_MS = 5_000;
const MAX_SLOWDOWN_MS = 2_000;
/** For how long a measured delay counts. It is measured more often than that. */
const DELAY_VALID_MS = 2_500;

export interface SequencerDependencies {
  db: Database;
  /** Connections that only moves use, so that moves do not queue behind the changes that make events. */
  sequencerDb: Pick<Database, 'transaction'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Moves committed events from the outbox into the log, one mover at a time in all processes. */
export class Sequencer {
  readonly #deps: SequencerDependencies;
  /** Runs a move that begins after the call. A move that is already running may not see the newest events. */
  readonly #nextMove = coalesceCalls(() => this.#move());
  readonly #loop: BackgroundLoop;
  #stopWatching: (() => void) | undefined;
  #lastMoveMs = 0;
  /** How long the oldest event had waited at the last poll, and until when (`performance.now()`) this counts. */
  #oldestDelay = { ms: 0, validUntil: 0 };
  /** How many rows this process has moved since it last vacuumed the outbox. */
  #deadRows = 0;

  constructor(deps: SequencerDependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'event-sequencer',
      pauseMs: () => Math.min(GATHER_FACTOR * this.#lastMoveMs, MAX_GATHER_MS),
      run: () => this.#emptyOutbox(),
      failure: 'Events wait in the outbox until the database is back.',
    });
    this.#loop.start();
  }

  /** Begins to poll the outbox, to also move the events of processes that died after their commit. */
  start(dueWork: Pick<DueWork, 'watch'>): void {
    this.#stopWatching = dueWork.watch(
      () => sql`
        SELECT extract(epoch FROM created_at) * 1000 FROM event_outbox ORDER BY position LIMIT 1`,
      (createdAt) => {
        const now = this.#deps.clock.now();
        this.#oldestDelay = {
          ms: now - createdAt,
          validUntil: performance.now() + DELAY_VALID_MS,
        };
        this.#loop.wake();
      },
    );
  }

  async stop(): Promise<void> {
    this.#stopWatching?.();
    await this.#loop.stop();
    await this.sequence().catch(() => undefined);
  }

  /** Call this after events were committed to the outbox. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Moves to the log all events of one tenant, or of all tenants, that were committed before the call. Does
   * not wait for events that are committed later.
   */
  async sequence(tenantId?: string, db: Queryable = this.#deps.db): Promise<void> {
    let newest = await newestWaiting(db, tenantId);
    while (newest !== null) {
      await this.#nextMove();
      newest = await newestWaiting(db, tenantId, newest);
    }
  }

  /**
   * Delays a writer if events have waited too long: by a tenth of that time, but at most two seconds.
   * So writers do not fill the disk with events that nobody can read yet.
   */
  async slowDown(signal?: AbortSignal): Promise<void> {
    const { ms, validUntil } = this.#oldestDelay;
    if (ms < LATE_MS || performance.now() > validUntil) return;
    const delayMs = Math.min(ms / 10, MAX_SLOWDOWN_MS);
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }

  async #emptyOutbox(): Promise<void> {
    while (await this.#nextMove());
  }

  /** Moves a batch of events. @returns whether there may be more */
  async #move(): Promise<boolean> {
    const startedAt = performance.now();
    let moved: MovedEvents[] = [];
    await this.#deps.sequencerDb.transaction(async (tx) => {
      // The lock is a separate statement, so that the next one sees the previous mover's commit.
      tx.beforeCommit(lockSequencer);
      tx.beforeCommit<MovedEvents>(moveFromOutbox, {
        use: (rows) => {
          moved = rows;
        },
      });
    });
    this.#lastMoveMs = performance.now() - startedAt;
    let total = 0;
    for (const { type, count } of moved) {
      this.#deps.metrics.events.inc({ type }, count);
      total += count;
    }
    this.#deadRows += total;
    if (this.#deadRows >= VACUUM_ROWS) void this.#vacuumOutbox();
    return total === MAX_MOVED || moved[0]?.maxOfOneTenant === MAX_MOVED_OF_TENANT;
  }

  /** Vacuums the outbox. PostgreSQL alone would do so too late: under load, hundreds of MB would pile up. */
  async #vacuumOutbox(): Promise<void> {
    this.#deadRows = 0;
    try {
      await this.#deps.db.query(sql`VACUUM (SKIP_LOCKED, TRUNCATE false) event_outbox`);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'The outbox could not be vacuumed.');
    }
  }
}

/** Returns the highest position in the outbox that is not above `upTo`; null if no such event waits. */
async function newestWaiting(
  db: Queryable,
  tenantId: string | undefined,
  upTo: string | null = null,
): Promise<string | null> {
  const [row] = await db.query<{ newest: string | null }>(
    tenantId === undefined
      ? sql`SELECT max(position)::text AS newest FROM event_outbox /* all tenants, background */
            WHERE ${upTo}::bigint IS NULL OR position <= ${upTo}::bigint`
      : sql`SELECT max(position)::text AS newest FROM event_outbox
            WHERE tenant_id = ${tenantId}
              AND (${upTo}::bigint IS NULL OR position <= ${upTo}::bigint)`,
  );
  return row?.newest ?? null;
}

/** How many events of a type were moved. */
interface MovedEvents {
  type: string;
  count: number;
  /** The number of events that were moved for the tenant with the most. */
  maxOfOneTenant: number;
}
