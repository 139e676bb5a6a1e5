import type { Database } from '../../platform/database/database.ts';
import { BackgroundLoop, type LoopParts } from '../../platform/loops/background-loop.ts';
import { type Entry, type Reservation, renew, stillRunning } from './reservations.ts';

const RENEW_MS = 1_000;
/**
 * The interval at which one statement looks for the responses of other processes, for all waiting
 * calls.
 */
const POLL_MS = 100;

/** A call that runs, or waits for another process, on behalf of all equal calls in this process. */
interface InFlightCall {
  requestHash: Buffer;
  /** The response as text; undefined when it was not stored. */
  outcome: Promise<string | undefined>;
}

interface KeyedCallsParts extends LoopParts {
  db: Database;
}

/** The calls with an Idempotency-Key that run or wait in this process. */
export class KeyedCalls {
  readonly #parts: KeyedCallsParts;
  readonly #inFlight = new Map<string, InFlightCall>();
  readonly #owned = new Set<Reservation>();
  readonly #awaited = new Map<string, { entry: Entry; notify: () => void }>();
  readonly #renewal: BackgroundLoop;
  readonly #poll: BackgroundLoop;

  constructor(parts: KeyedCallsParts) {
    this.#parts = parts;
    this.#renewal = new BackgroundLoop(parts, {
      name: 'renewal of idempotency keys',
      run: () => this.#renew(),
      failure: 'Calls with an Idempotency-Key could not be renewed.',
    });
    this.#poll = new BackgroundLoop(parts, {
      name: 'answers of other processes',
      run: () => this.#pollAnswers(),
      failure: 'Answers of other processes could not be read.',
    });
    this.#renewal.start();
    this.#poll.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#renewal.stop(), this.#poll.stop()]);
  }

  /** Returns an equal call in this process, whose outcome can be awaited in memory. */
  inFlight(entry: Entry): InFlightCall | undefined {
    return this.#inFlight.get(entryKey(entry));
  }

  /** Runs a call. Until it settles, equal calls wait for its outcome. */
  async run<Result>(
    entry: Entry,
    requestHash: Buffer,
    call: (settle: (outcome: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const { promise: outcome, resolve } = Promise.withResolvers<string | undefined>();
    this.#inFlight.set(entryKey(entry), { requestHash, outcome });
    try {
      return await call(resolve);
    } finally {
      this.#inFlight.delete(entryKey(entry));
      resolve(undefined);
    }
  }

  /** Renews a reservation while its call runs. */
  async withRenewal<Result>(reservation: Reservation, run: () => Promise<Result>): Promise<Result> {
    this.#owned.add(reservation);
    this.#renewal.wake(RENEW_MS);
    try {
      return await run();
    } finally {
      this.#owned.delete(reservation);
    }
  }

  /** Resolves once another process has answered, failed, or crashed. */
  async waitForAnswer(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    this.#awaited.set(entryKey(entry), { entry, notify: resolve });
    this.#poll.wake(POLL_MS);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#awaited.delete(entryKey(entry));
    }
  }

  async #renew(): Promise<void> {
    if (this.#owned.size === 0) return;
    this.#renewal.wake(RENEW_MS);
    await renew(this.#parts.db, [...this.#owned]);
  }

  async #pollAnswers(): Promise<void> {
    const awaited = [...this.#awaited];
    if (awaited.length === 0) return;
    const entries = awaited.map(([, { entry }]) => entry);
    const running = new Set((await stillRunning(this.#parts.db, entries)).map(entryKey));
    for (const [name, { notify }] of awaited) if (!running.has(name)) notify();
    this.#poll.wake(POLL_MS);
  }
}

const entryKey = ({ caller, path, key }: Entry): string => JSON.stringify([caller, path, key]);
