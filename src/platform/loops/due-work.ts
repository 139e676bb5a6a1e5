import type { Clock } from '../clock.ts';
import { type Database, join, type Sql, sql } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { BackgroundLoop, type LoopDependencies } from './background-loop.ts';

/** How often to look for work that another process created, or left undone when it crashed. */
const POLL_INTERVAL_MS = 1_000;

/** Work that waits in the database. */
interface DueSource {
  /**
   * A scalar query for the time when the earliest work is due, in epoch milliseconds: null for
   * never, 0 for now. It runs every second, so it must find this time in an index.
   */
  nextDue: () => Sql;
  /** @param dueAt when the earliest work is due, in epoch milliseconds */
  wake: (dueAt: number) => void;
  /** Wakes the loop. Set if the work is due before the next poll. */
  timer?: NodeJS.Timeout;
}

interface DueWorkDependencies extends LoopDependencies {
  db: Database;
  clock: Clock;
}

/** SQL for work that is due now if the condition holds, and never otherwise. */
export const nowIf = (condition: Sql): Sql => sql`SELECT CASE WHEN ${condition} THEN 0 END`;

/**
 * Wakes loops when their work is due. One statement a second polls for all loops and reads the
 * database's clock, so that an idle process does little. If work is due before the next poll, a timer
 * wakes its loop on time.
 */
export class DueWork {
  readonly #deps: DueWorkDependencies;
  readonly #sources = new Set<DueSource>();
  readonly #loop: BackgroundLoop;

  constructor(deps: DueWorkDependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'due-work',
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#poll(),
      failure: 'The database could not be asked which work is due.',
    });
  }

  /** Wakes a loop whenever its work is due. @returns a function that stops watching */
  watch(nextDue: () => Sql, wake: DueSource['wake']): () => void {
    const source: DueSource = { nextDue, wake };
    this.#sources.add(source);
    return () => {
      this.#sources.delete(source);
      clearTimeout(source.timer);
    };
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    for (const { timer } of this.#sources) clearTimeout(timer);
  }

  async #poll(): Promise<void> {
    const { db, clock } = this.#deps;
    const sources = [...this.#sources];
    const columns = sources.map(({ nextDue }) => sql`(${nextDue()})::float8`);
    const sentAt = performance.now();
    const [row] = await db.query<{ times: Array<number | null> }>(sql`
      SELECT ARRAY[${join([databaseNow, ...columns])}] AS times /* all tenants, background */`);
    const [databaseMs, ...times] = row?.times ?? [];
    if (typeof databaseMs !== 'number') return;
    clock.adjust?.(databaseMs, sentAt);
    const now = clock.now();
    for (const [index, source] of sources.entries()) {
      const dueAt = times[index];
      if (typeof dueAt === 'number' && this.#sources.has(source))
        wakeAt(source, dueAt, dueAt - now);
    }
  }
}

function wakeAt(source: DueSource, dueAt: number, waitMs: number): void {
  clearTimeout(source.timer);
  if (waitMs <= 0) source.wake(dueAt);
  // The next poll may be late, so two intervals count. A timer may fire a millisecond early, so it waits one more.
  else if (waitMs < 2 * POLL_INTERVAL_MS) {
    source.timer = setTimeout(() => source.wake(dueAt), waitMs + 1);
  }
}
