import { EventEmitter } from 'node:events';

/** Background work. Every process with the role worker runs it. */
export interface Worker<Context> {
  start(context: Context): RunningWorker;
}

export interface RunningWorker {
  /** Begins no more work, and waits for the work in progress. */
  stop(): Promise<void>;
}

/**
 * Signals that there is work. A signal may get lost, so workers also poll. `erased` says that an
 * erasure changed stored events: those of one tenant, or if undefined, of any.
 */
export class WakeUps extends EventEmitter<{
  deliveries: [];
  erased: [tenantId: string | undefined];
}> {}

export class Workers<Context> {
  readonly #workers: Array<Worker<Context>>;
  #running: RunningWorker[] = [];

  constructor(workers: Array<Worker<Context>>) {
    this.#workers = workers;
  }

  start(context: Context): void {
    this.#running = this.#workers.map((worker) => worker.start(context));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((worker) => worker.stop()));
  }
}
