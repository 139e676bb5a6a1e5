import type { Database } from '../../platform/database/database.ts';
import { BackgroundLoop, type LoopParts } from '../../platform/loops/background-loop.ts';
import { type Entry, type Reservation, renew, stillRunning } from './reservations.ts';

const RENEW_MS = 1_000;
/**
 * The interval at which one statement looks for the responses of other processes, for all waiting
 * calls.
 */
const LOOK_MS = 100;

/** A call that runs, or waits for another process, on behalf of all equal calls in this process. */
interface Flight {
  requestHash: Buffer;
  /** The response as text; undefined when it was not stored. */
  outcome: Promise<string | undefined>;
}

interface Parts extends LoopParts {
  db: Database;
}

/** The calls with an Idempotency-Key that run or wait in this process. */
export class KeyedCalls {
  readonly #parts: Parts;
  readonly #flights = new Map<string, Flight>();
  readonly #held = new Set<Reservation>();
  readonly #awaited = new Map<string, { entry: Entry; notify: () => void }>();
  readonly #renewal: BackgroundLoop;
  readonly #look: BackgroundLoop;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#renewal = new BackgroundLoop(parts, {
      name: 'renewal of idempotency keys',
      run: () => this.#renew(),
      failure: 'Calls with an Idempotency-Key could not be renewed.',
    });
    this.#look = new BackgroundLoop(parts, {
      name: 'answers of other processes',
      run: () => this.#lookForAnswers(),
      failure: 'Answers of other processes could not be looked for.',
    });
    this.#renewal.start();
    this.#look.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#renewal.stop(), this.#look.stop()]);
  }

  /** Returns an equal call in this process, whose outcome can be awaited in memory. */
  flightOf(entry: Entry): Flight | undefined {
    return this.#flights.get(nameOf(entry));
  }

  /** Runs a call. Until it settles, equal calls wait for its outcome. */
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
    this.#renewal.wake(RENEW_MS);
    try {
      return await run();
    } finally {
      this.#held.delete(reservation);
    }
  }

  /** Resolves once another process has answered, failed, or crashed. */
  async settled(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    this.#awaited.set(nameOf(entry), { entry, notify: resolve });
    this.#look.wake(LOOK_MS);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#awaited.delete(nameOf(entry));
    }
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    this.#renewal.wake(RENEW_MS);
    await renew(this.#parts.db, [...this.#held]);
  }

  async #lookForAnswers(): Promise<void> {
    const awaited = [...this.#awaited];
    if (awaited.length === 0) return;
    const entries = awaited.map(([, { entry }]) => entry);
    const running = new Set((await stillRunning(this.#parts.db, entries)).map(nameOf));
    for (const [name, { notify }] of awaited) if (!running.has(name)) notify();
    this.#look.wake(LOOK_MS);
  }
}

const nameOf = ({ caller, path, key }: Entry): string => JSON.stringify([caller, path, key]);
