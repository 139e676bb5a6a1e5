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
  readonly #loop: BackgroundLoop;
  #unstored: Array<{ outcome: AttemptOutcome; onStored: () => void }> = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#loop = new BackgroundLoop(ctx, {
      name: 'webhooks: outcomes',
      pauseMs: GATHER_MS,
      run: () => this.#store(),
      failure: 'Outcomes of deliveries wait for the database.',
    });
    this.#loop.start();
  }

  add(outcome: AttemptOutcome, onStored: () => void): void {
    this.#unstored.push({ outcome, onStored });
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
    const batch = this.#unstored;
    if (batch.length === 0) return;
    this.#unstored = [];
    try {
      await recordOutcomes(
        this.#ctx,
        batch.map(({ outcome }) => outcome),
      );
    } catch (error) {
      this.#unstored = [...batch, ...this.#unstored];
      throw error;
    }
    for (const { onStored } of batch) onStored();
  }
}
