import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { queueKey } from '../queues.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import type { AttemptOutcome } from './outcome.ts';
import { recordOutcomes } from './record-outcomes.ts';

/** The pause between two batches, in which outcomes gather under load. A single outcome is stored at once. */
const BATCH_PAUSE_MS = 50;

interface UnstoredOutcome {
  queue: EndpointQueue;
  outcome: AttemptOutcome;
}

/** Stores the outcomes of attempts in batches, and keeps them while the database is unavailable. */
export class OutcomeStore {
  readonly #ctx: Services;
  readonly #onStored: () => void;
  readonly #loop: BackgroundLoop;
  #unstored: UnstoredOutcome[] = [];

  constructor(ctx: Services, onStored: () => void) {
    this.#ctx = ctx;
    this.#onStored = onStored;
    this.#loop = new BackgroundLoop(ctx, {
      name: 'webhook-outcomes',
      pauseMs: BATCH_PAUSE_MS,
      run: () => this.#store(),
      failure: 'Outcomes of deliveries wait for the database.',
    });
  }

  start(): void {
    this.#loop.start();
  }

  add(queue: EndpointQueue, outcome: AttemptOutcome): void {
    this.#unstored.push({ queue, outcome });
    this.#loop.wake();
  }

  /** Stops, and tries once to store the outcomes that are left. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#store().catch((error: unknown) =>
      this.#ctx.log.warn({ err: error }, 'Outcomes of deliveries were not stored.'),
    );
  }

  /** @returns whether outcomes are left */
  async #store(): Promise<boolean> {
    // A delivery that was sent again after the lease was lost may have several outcomes, but one statement can
    // update a row only once. So a batch has at most one outcome for each delivery.
    const byDelivery = Map.groupBy(
      this.#unstored,
      ({ outcome }) => `${queueKey(outcome)}/${outcome.sequence}`,
    );
    const batch = [...byDelivery.values()].flatMap((outcomes) => outcomes.slice(0, 1));
    if (batch.length === 0) return false;
    this.#unstored = [...byDelivery.values()].flatMap((outcomes) => outcomes.slice(1));
    try {
      await recordOutcomes(
        this.#ctx,
        batch.map(({ outcome }) => outcome),
      );
    } catch (error) {
      this.#unstored = [...batch, ...this.#unstored];
      throw error;
    }
    for (const { queue, outcome } of batch) queue.markRecorded(outcome);
    this.#onStored();
    return this.#unstored.length > 0;
  }
}
