import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/logging.ts';
import { type Entry, type Reservation, renew, stillRunning } from './reservations.ts';

const RENEW_MS = 1_000;
/** How late one hears of an answer that another process gave: ten statements a second for all. */
const LOOK_MS = 100;

/** A call that runs, or waits for another process, on behalf of all its like in this one. */
interface Flight {
  requestHash: Buffer;
  /** The text of its answer; nothing when none was kept. */
  outcome: Promise<string | undefined>;
}

interface Parts {
  db: Database;
  log: Logger;
}

/** The calls with an Idempotency-Key that are under way in this process. */
export class KeyedCalls {
  readonly #parts: Parts;
  readonly #flights = new Map<string, Flight>();
  readonly #held = new Set<Reservation>();
  readonly #awaited = new Map<string, { entry: Entry; notify: () => void }>();
  #renewal: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The same call in this process, which is then waited for in memory. */
  flightOf(entry: Entry): Flight | undefined {
    return this.#flights.get(nameOf(entry));
  }

  /** Until `run` is over, the same calls wait for its outcome. */
  async fly<Result>(
    entry: Entry,
    requestHash: Buffer,
    run: (land: (outcome: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const { promise: outcome, resolve } = Promise.withResolvers<string | undefined>();
    this.#flights.set(nameOf(entry), { requestHash, outcome });
    try {
      return await run(resolve);
    } finally {
      this.#flights.delete(nameOf(entry));
      resolve(undefined);
    }
  }

  /** Renews a reservation while its call runs. */
  async holding<Result>(reservation: Reservation, run: () => Promise<Result>): Promise<Result> {
    this.#held.add(reservation);
    this.#renewal ??= setInterval(() => void this.#renew(), RENEW_MS);
    try {
      return await run();
    } finally {
      this.#held.delete(reservation);
      if (this.#held.size === 0) {
        clearInterval(this.#renewal);
        this.#renewal = undefined;
      }
    }
  }

  /** Resolves once another process has answered, given up, or died. */
  async settled(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    this.#awaited.set(nameOf(entry), { entry, notify: resolve });
    this.#lookLater();
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#awaited.delete(nameOf(entry));
    }
  }

  async #renew(): Promise<void> {
    try {
      await renew(this.#parts.db, [...this.#held]);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Calls with an Idempotency-Key could not be renewed.');
    }
  }

  #lookLater(): void {
    this.#look ??= setTimeout(() => void this.#lookForAnswers(), LOOK_MS);
  }

  async #lookForAnswers(): Promise<void> {
    const awaited = [...this.#awaited];
    try {
      const entries = awaited.map(([, { entry }]) => entry);
      const running = new Set((await stillRunning(this.#parts.db, entries)).map(nameOf));
      for (const [name, { notify }] of awaited) if (!running.has(name)) notify();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Answers of other processes could not be looked for.');
    }
    this.#look = undefined;
    if (this.#awaited.size > 0) this.#lookLater();
  }
}

const nameOf = ({ caller, path, key }: Entry): string => JSON.stringify([caller, path, key]);
