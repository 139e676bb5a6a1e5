import type { Database } from '../../platform/database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import { unlessAborted } from '../../platform/wait-for.ts';
import { findRunning, type KeyedCall, type Reservation, renew } from './reservations.ts';

const RENEW_MS = 1_000;
/** The interval at which one statement looks for responses, for all waiting calls. */
const POLL_MS = 100;

/** A running call, and the promise on which equal calls wait for its response. */
interface AwaitedCall extends PromiseWithResolvers<void> {
  call: KeyedCall;
}

interface KeyedCallsDependencies extends LoopDependencies {
  db: Database;
}

/** The calls with an Idempotency-Key that run or wait in this process. */
export class KeyedCalls {
  readonly #deps: KeyedCallsDependencies;
  /** The reservations of calls that run in this process. */
  readonly #owned = new Set<Reservation>();
  /** The calls whose responses are awaited in this process, by `keyOf`. */
  readonly #awaited = new Map<string, AwaitedCall>();
  readonly #renewal: BackgroundLoop;
  readonly #poll: BackgroundLoop;

  constructor(deps: KeyedCallsDependencies) {
    this.#deps = deps;
    this.#renewal = new BackgroundLoop(deps, {
      name: 'idempotency-renewal',
      run: () => this.#renew(),
      failure: 'The reservations of running calls could not be renewed.',
    });
    this.#poll = new BackgroundLoop(deps, {
      name: 'idempotency-answers',
      run: () => this.#pollResponses(),
      failure: 'The responses to repeated calls could not be read.',
    });
    this.#renewal.start();
    this.#poll.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#renewal.stop(), this.#poll.stop()]);
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

  /** Resolves once the equal call has a stored response or has failed, or its process has crashed. */
  async waitForResponse(call: KeyedCall, signal: AbortSignal | undefined): Promise<void> {
    const key = keyOf(call);
    const awaited = this.#awaited.get(key) ?? { call, ...Promise.withResolvers<void>() };
    this.#awaited.set(key, awaited);
    this.#poll.wake(POLL_MS);
    await unlessAborted(awaited.promise, signal);
  }

  async #renew(): Promise<void> {
    if (this.#owned.size === 0) return;
    this.#renewal.wake(RENEW_MS);
    await renew(this.#deps.db, [...this.#owned]);
  }

  async #pollResponses(): Promise<void> {
    if (this.#awaited.size === 0) return;
    this.#poll.wake(POLL_MS);
    const awaited = [...this.#awaited];
    const calls = awaited.map(([, { call }]) => call);
    const running = new Set((await findRunning(this.#deps.db, calls)).map(keyOf));
    for (const [key, { resolve }] of awaited) {
      if (running.has(key)) continue;
      this.#awaited.delete(key);
      resolve();
    }
  }
}

const keyOf = ({ caller, path, key }: KeyedCall): string => JSON.stringify([caller, path, key]);
