import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../../../api/context.ts';
import { laneKey } from './lane.ts';
import type { Outcome } from './outcome.ts';
import { type FailingChange, recordOutcomes } from './record.ts';

type Context = Pick<Services, 'db' | 'events' | 'clock' | 'log' | 'secrets'>;

/** How long after a failure outcomes are stored again: they are kept until the database is back. */
const RETRY_MS = 500;
/**
 * How long outcomes gather after a batch before the next: under load many are stored together,
 * while one that comes alone is stored at once.
 */
const GATHER_MS = 20;

/** Stores outcomes in batches: while one is under way, the next gathers. */
export class Recorder {
  readonly #ctx: Context;
  readonly #onRecorded: (outcomes: Outcome[]) => void;
  #outcomes: Outcome[] = [];
  #changes = new Map<string, FailingChange>();
  #running: Promise<void> | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(ctx: Context, onRecorded: (outcomes: Outcome[]) => void) {
    this.#ctx = ctx;
    this.#onRecorded = onRecorded;
  }

  add(outcome: Outcome, change: FailingChange | undefined): void {
    this.#outcomes.push(outcome);
    if (change) this.#changes.set(laneKey(change), change);
    this.#running ??= this.#run();
  }

  /** Stores what there is, trying no more than once again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // What ends in the same turn of the event loop goes together.
    await new Promise(setImmediate);
    while (this.#outcomes.length > 0) {
      const waitMs = this.#storedAt + GATHER_MS - performance.now();
      if (waitMs > 0 && !this.#isStopped) await delay(waitMs);
      const outcomes = this.#outcomes;
      const changes = this.#changes;
      this.#outcomes = [];
      this.#changes = new Map();
      try {
        await recordOutcomes(this.#ctx, outcomes, [...changes.values()]);
        this.#storedAt = performance.now();
        this.#onRecorded(outcomes);
      } catch (error) {
        this.#ctx.log.warn({ err: error }, 'Outcomes of deliveries wait for the database.');
        if (this.#isStopped) break;
        this.#outcomes = [...outcomes, ...this.#outcomes];
        this.#changes = new Map([...changes, ...this.#changes]);
        await delay(RETRY_MS);
      }
    }
    this.#running = undefined;
  }
}
