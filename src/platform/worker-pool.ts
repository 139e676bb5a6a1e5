import { parentPort, Worker } from 'node:worker_threads';

/** Several times the memory that the largest document needs. */
const MAX_MEMORY_MB = 1_024;
/** By default, V8 would let a thread keep as much memory for new objects as the whole process may. */
const NEW_OBJECTS_MB = 24;

/** The promise of a job that its thread has not finished yet. */
interface PendingJob {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Reply {
  id: number;
  result?: unknown;
  failure?: string;
}

/**
 * Runs work that would block the event loop in worker threads: one thread for each module, which
 * starts with the first job of the module. If a thread runs out of memory, its jobs fail, and the
 * next job starts a new thread.
 */
export class WorkerPool {
  /** The workers by the URLs of their modules. */
  readonly #workers = new Map<string, PoolWorker>();

  /**
   * Runs a job in the thread of `module`. The job and its result are copied between the threads.
   *
   * @throws the failure of the job, or the reason why its thread ended
   */
  run<Result>(module: URL, job: unknown): Promise<Result> {
    const existing = this.#workers.get(module.href);
    const worker = existing?.isAlive ? existing : new PoolWorker(module);
    this.#workers.set(module.href, worker);
    return worker.run(job) as Promise<Result>;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }
}

class PoolWorker {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingJob>();
  #jobCount = 0;
  isAlive = true;

  constructor(module: URL) {
    this.#worker = new Worker(module, {
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_MEMORY_MB,
        maxYoungGenerationSizeMb: NEW_OBJECTS_MB,
      },
    });
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => this.#failAll(error));
    this.#worker.on('exit', () => this.#failAll(new Error('The thread has ended.')));
    // The thread alone must not keep the process running; open connections do that.
    this.#worker.unref();
  }

  run(job: unknown): Promise<unknown> {
    const id = ++this.#jobCount;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job });
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, result, failure }: Reply): void {
    const job = this.#pending.get(id);
    this.#pending.delete(id);
    if (failure === undefined) job?.resolve(result);
    else job?.reject(new Error(failure));
  }

  #failAll(error: Error): void {
    this.isAlive = false;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** Performs the jobs of a worker thread, one after the other. Its module calls this. */
export function serveJobs<Job>(perform: (job: Job) => unknown): void {
  parentPort?.on('message', ({ id, job }: { id: number; job: Job }) => {
    try {
      parentPort?.postMessage({ id, result: perform(job) });
    } catch (error) {
      const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      parentPort?.postMessage({ id, failure });
    }
  });
}
