import type { Logger } from './logging.ts';

/** Work that is done again and again, by every process with the role worker. Idempotent. */
export interface Sweep<Context> {
  name: string;
  intervalMs: number;
  run(context: Context): Promise<void>;
}

/** Runs each sweep at its interval, never beside itself in one process. */
export class Sweeps<Context> {
  readonly #sweeps: Array<Sweep<Context>>;
  readonly #log: Logger;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #running = new Map<string, Promise<void>>();

  constructor(sweeps: Array<Sweep<Context>>, log: Logger) {
    this.#sweeps = sweeps;
    this.#log = log;
  }

  start(context: Context): void {
    for (const sweep of this.#sweeps) {
      this.#timers.push(setInterval(() => this.#run(sweep, context), sweep.intervalMs));
    }
  }

  /** Lets what runs come to its end. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running.values());
  }

  #run(sweep: Sweep<Context>, context: Context): void {
    if (this.#running.has(sweep.name)) return;
    const run = sweep
      .run(context)
      .catch((error: unknown) =>
        this.#log.warn({ err: error, sweep: sweep.name }, 'A sweep failed and will be run again.'),
      )
      .finally(() => this.#running.delete(sweep.name));
    this.#running.set(sweep.name, run);
  }
}
