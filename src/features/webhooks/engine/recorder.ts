import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import type { AttemptOutcome } from './outcome.ts';
import { recordOutcomes } from './record.ts';

type Context = Pick<Services, 'db' | 'events' | 'clock' | 'log' | 'secrets' | 'metrics'>;

/** The pause between two batches. Under load they grow, while a lone outcome is stored at once. */
const GATHER_MS = 50;

/** Stores outcomes in batches: while one batch is being stored, the next one gathers. */
export class Recorder {
  readonly #ctx: Context;
  readonly #onRecorded: (outcomes: AttemptOutcome[]) => void;
  readonly #loop: BackgroundLoop;
  #outcomes: AttemptOutcome[] = [];

  constructor(ctx: Context, onRecorded: (outcomes: AttemptOutcome[]) => void) {
    this.#ctx = ctx;
    this.#onRecorded = onRecorded;
    this.#loop = new BackgroundLoop(ctx, {
      name: 'webhooks: outcomes',
      pauseMs: GATHER_MS,
      run: () => this.#store(),
      failure: 'Outcomes of deliveries wait for the database.',
    });
    this.#loop.start();
  }

  add(outcome: AttemptOutcome): void {
    this.#outcomes.push(outcome);
    this.#loop.wake();
  }

  /** Stores the remaining outcomes, with at most one more try. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#store().catch((error: unknown) =>
      this.#ctx.log.warn({ err: error }, 'Outcomes of deliveries were not stored.'),
    );
  }

  async #store(): Promise<void> {
    // Requests that end in the same turn of the event loop are stored together.
    await new Promise(setImmediate);
    const outcomes = this.#outcomes;
    if (outcomes.length === 0) return;
    this.#outcomes = [];
    try {
      await recordOutcomes(this.#ctx, outcomes);
    } catch (error) {
      this.#outcomes = [...outcomes, ...this.#outcomes];
      throw error;
    }
    this.#onRecorded(outcomes);
  }
}
