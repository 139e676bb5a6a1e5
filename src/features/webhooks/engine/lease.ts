import type { Services } from '../../../api/context.ts';
import { BackgroundLoop } from '../../../platform/loops/background-loop.ts';
import { endLease, renewLease } from './queue-store.ts';

const RENEW_MS = 1_000;
/** A worker that cannot renew its lease stops sending well before others may take its queues. */
const LEASE_DOUBT_MS = 4_000;

/** The lease of this worker, without which other workers take its queues. */
export class Lease {
  readonly workerId: string;
  readonly #db: Services['db'];
  readonly #loop: BackgroundLoop;
  readonly #onRenewed: (wasKept: boolean) => void;
  /** When the lease was renewed last, by the clock of `performance`. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param onRenewed called with whether the lease was still there, and so the queues */
  constructor(ctx: Services, onRenewed: (wasKept: boolean) => void) {
    this.#db = ctx.db;
    this.workerId = ctx.db.id;
    this.#onRenewed = onRenewed;
    this.#loop = new BackgroundLoop(ctx, {
      name: 'webhooks: lease',
      run: () => this.#renew(),
      failure: 'Deliveries wait until the database is back.',
    });
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Whether the lease is recent enough that no other worker can have taken the queues. */
  get isValid(): boolean {
    return performance.now() - this.#renewedAt < LEASE_DOUBT_MS;
  }

  renewNow(): void {
    this.#loop.wake();
  }

  renewInTime(): void {
    this.#loop.wake(Math.max(0, this.#renewedAt + RENEW_MS - performance.now()));
  }

  /** Whether there was a lease at any time. */
  get wasTaken(): boolean {
    return this.#renewedAt > Number.NEGATIVE_INFINITY;
  }

  end(): Promise<void> {
    return endLease(this.#db, this.workerId);
  }

  async #renew(): Promise<void> {
    const startedAt = performance.now();
    const wasKept = await renewLease(this.#db, this.workerId);
    this.#renewedAt = startedAt;
    this.#onRenewed(wasKept);
  }
}
