import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import {
  endExpired,
  endInvalid,
  findEndedCallers,
  type Opened,
  type StreamCaller,
} from './stream-caller.ts';

/** The most open subscriptions of one caller in one process. */
export const MAX_STREAMS = { user: 100, apiKey: 1_000 };

/** The longest delay until revoked credentials are noticed. */
const CHECK_INTERVAL_MS = 400;
/** A client that does not read the end of its stream within this time is disconnected. */
const CLOSE_TIMEOUT_MS = 1_000;

interface OpenStream extends Opened {
  disconnect: () => void;
}

interface OpenStreamsDependencies extends LoopDependencies {
  db: Database;
  clock: Clock;
  metrics: Metrics;
}

/** The open subscriptions of this process. Each ends when its credentials expire or are revoked. */
export class OpenStreams {
  readonly #deps: OpenStreamsDependencies;
  readonly #streams = new Set<OpenStream>();
  readonly #counts = new Map<string, number>();
  /** There are two loops, since tokens must expire even while the database is unavailable. */
  readonly #loops: BackgroundLoop[];
  #isClosing = false;

  constructor(deps: OpenStreamsDependencies) {
    this.#deps = deps;
    this.#loops = [
      this.#createLoop('stream-tokens', async () => {
        this.#scheduleChecks();
        endExpired(this.#streams, unixSeconds(deps.clock));
      }),
      this.#createLoop('stream-credentials', async () => {
        this.#scheduleChecks();
        await endInvalid(deps.db, this.#streams);
      }),
    ];
  }

  #createLoop(name: string, run: () => Promise<void>): BackgroundLoop {
    const failure = 'Credentials could not be checked again.';
    return new BackgroundLoop(this.#deps, { name, run, failure });
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /**
   * Registers a subscription until the signal aborts.
   *
   * @returns a signal that aborts with the failure for the client
   * @throws RESOURCE_EXHAUSTED when the caller has too many subscriptions; UNAVAILABLE while the
   * process stops
   */
  open(caller: StreamCaller, signal: AbortSignal, disconnect: () => void): AbortSignal {
    if (this.#isClosing) throw stopping();
    const owner = JSON.stringify([caller.tenantId, caller.userId ?? null]);
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_STREAMS[caller.userId === undefined ? 'apiKey' : 'user']) throw tooMany();
    const ending = new AbortController();
    const end = (failure: AppError) => ending.abort(failure);
    const stream = { caller, end, disconnect };
    this.#streams.add(stream);
    this.#scheduleChecks();
    this.#setCount(owner, count + 1);
    const close = () => {
      this.#streams.delete(stream);
      this.#setCount(owner, (this.#counts.get(owner) ?? 1) - 1);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    return ending.signal;
  }

  /**
   * Returns the failure for a stream that was refused. If the access check failed because the credentials
   * are no longer valid, returns their failure in place of PERMISSION_DENIED.
   */
  async preciseFailure(caller: StreamCaller, failure: AppError): Promise<AppError> {
    if (failure.status !== 'PERMISSION_DENIED') return failure;
    const [ended] = await findEndedCallers(this.#deps.db, [caller]);
    return ended?.failure ?? failure;
  }

  /** Asks every client to reconnect to another process, and waits until all are disconnected. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const stream of this.#streams) stream.end(stopping());
    const deadline = performance.now() + CLOSE_TIMEOUT_MS;
    while (this.#streams.size > 0 && performance.now() < deadline) await delay(10);
    for (const { disconnect } of this.#streams) disconnect();
  }

  /** Stops the checks of credentials, once all streams are closed. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** Checks credentials at once, after some have changed. The regular checks cover lost notifications. */
  checkNow(): void {
    if (this.#streams.size > 0) for (const loop of this.#loops) loop.wake();
  }

  /** Schedules the next checks while streams are open. */
  #scheduleChecks(): void {
    if (this.#streams.size === 0) return;
    for (const loop of this.#loops) loop.wake(CHECK_INTERVAL_MS);
  }

  #setCount(owner: string, count: number): void {
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
    this.#deps.metrics.openSubscriptions.set(this.#streams.size);
  }
}

const stopping = () =>
  new AppError('UNAVAILABLE', 'This process is stopping. Connect again.', {
    retryAfterSeconds: 1,
  });

const tooMany = () =>
  new AppError('RESOURCE_EXHAUSTED', 'Too many subscriptions are open. Close some of them first.');
