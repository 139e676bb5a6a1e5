import { parentPort, Worker } from 'node:worker_threads';

/** Enough for a document at its limits, several times over. */
const MAX_MEMORY_MB = 1_024;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Reply {
  id: number;
  result?: unknown;
  failure?: string;
}

/**
 * Work that would hold up the process goes to threads of its own: one for each module, started when
 * it is first needed. A thread that ends, for want of memory, fails what it had begun and no more.
 */
export class Threads {
  readonly #threads = new Map<string, Thread>();

  /** Has `module` do a job. What goes there and comes back is copied. */
  run<Result>(module: URL, job: unknown): Promise<Result> {
    const known = this.#threads.get(module.href);
    const thread = known?.isAlive ? known : new Thread(module);
    this.#threads.set(module.href, thread);
    return thread.run(job) as Promise<Result>;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#threads.values()].map((thread) => thread.stop()));
  }
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #jobs = 0;
  isAlive = true;

  constructor(module: URL) {
    this.#worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    });
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('The thread has ended.')));
    // Nobody who waits for it is left without a server that holds the process.
    this.#worker.unref();
  }

  run(job: unknown): Promise<unknown> {
    const id = ++this.#jobs;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job });
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, result, failure }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(failure));
  }

  #end(error: Error): void {
    this.isAlive = false;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Called by a module that runs as a thread: does its jobs, one after the other. */
export function serveThread<Job>(perform: (job: Job) => unknown): void {
  parentPort?.on('message', ({ id, job }: { id: number; job: Job }) => {
    try {
      parentPort?.postMessage({ id, result: perform(job) });
    } catch (error) {
      const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      parentPort?.postMessage({ id, failure });
    }
  });
}
