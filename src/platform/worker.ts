import { EventEmitter } from 'node:events';

/** Work on a queue of its own, by every process with the role worker. */
export interface Worker<Context> {
  start(context: Context): RunningWorker;
}

export interface RunningWorker {
  /** Takes no more work, and lets what is under way come to its end. */
  stop(): Promise<void>;
}

/** There is work, in these queues or anywhere. A hint, which may get lost. */
export class WakeUps extends EventEmitter<{
  mails: [];
  deliveries: [queues?: Array<{ tenantId: string; endpointId: string }>];
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
