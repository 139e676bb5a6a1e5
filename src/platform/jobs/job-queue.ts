import { type Job as BossJob, type Db, PgBoss } from 'pg-boss';
import { type Database, type RawValue, sql, type Transaction } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import type { Job, JobHandler } from './job.ts';

/** How soon a job is seen that another process added. One's own are seen at once. */
const POLL_SECONDS = 5;
/** Jobs of one kind at a time in one process, so that one long job does not hold up all others. */
const WORKERS = 2;
const STOP_DEADLINE_MS = 5_000;

const QUEUE = {
  // One job for each key, be it waiting or running.
  policy: 'exclusive',
  // What fails is tried again for days, less and less often: a deletion must not be left half done.
  retryLimit: 10_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 3_600,
  // A process that died sends none; the supervisor then gives its job to another.
  heartbeatSeconds: 20,
  retentionSeconds: 90 * 24 * 3_600,
};
const SUPERVISE_SECONDS = 10;

/** Work that outlives a request, kept in PostgreSQL: a crash loses none. */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #log: Logger;
  readonly #works: boolean;
  readonly #stopping = new AbortController();
  /** The ids of this process's workers, by the name of their job. */
  readonly #workers = new Map<string, string[]>();

  /** `works`: this process also runs jobs, and looks after those of dead processes. */
  constructor({ db, log, works }: { db: Database; log: Logger; works: boolean }) {
    this.#log = log;
    this.#works = works;
    this.#boss = new PgBoss({
      db: {
        executeSql: (text, values) => db.pool.query(`/* all tenants */ ${text}`, values),
      },
      schema: 'pgboss',
      schedule: false,
      supervise: works,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
    });
    this.#boss.on('error', (error) => log.warn({ err: error }, 'The job queue had a problem.'));
    this.#boss.on('warning', (warning) => log.warn({ warning }, 'The job queue warns.'));
  }

  async start<Context>(handlers: Array<JobHandler<Context>>, context: Context): Promise<void> {
    await this.#boss.start();
    for (const { name } of handlers) await this.#boss.createQueue(name, QUEUE);
    if (!this.#works) return;
    for (const handler of handlers) await this.#work(handler, context);
  }

  /** Lets running jobs finish their step; they go on where another worker, or the next start, is. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The process stops.'));
    await this.#boss.stop({ graceful: true, timeout: STOP_DEADLINE_MS, close: false });
  }

  /** Adds jobs with the change that needs them: they exist when it is committed, else not. */
  async add<Payload extends object>(
    tx: Transaction,
    job: Job<Payload>,
    payloads: Payload[],
  ): Promise<void> {
    if (payloads.length === 0) return;
    const jobs = payloads.map((data) => ({ data, singletonKey: job.keyOf(data) }));
    await this.#boss.insert(job.name, jobs, { db: within(tx) });
    tx.afterCommit(() => this.#wake(job.name));
  }

  async #work<Context>(handler: JobHandler<Context>, context: Context): Promise<void> {
    const ids: string[] = [];
    for (let worker = 0; worker < WORKERS; worker++) {
      const run = ([job]: BossJob[]) => this.#run(handler, context, job);
      ids.push(await this.#boss.work(handler.name, { pollingIntervalSeconds: POLL_SECONDS }, run));
    }
    this.#workers.set(handler.name, ids);
  }

  async #run<Context>(handler: JobHandler<Context>, context: Context, job: BossJob | undefined) {
    if (!job) return;
    const facts = { job: handler.name, jobId: job.id, attempt: job.retryCount + 1 };
    const startedAt = performance.now();
    try {
      const signal = AbortSignal.any([job.signal, this.#stopping.signal]);
      await handler.run(context, job.data, signal);
      this.#log.info({ ...facts, durationMs: Math.round(performance.now() - startedAt) }, 'job');
    } catch (error) {
      if (this.#stopping.signal.aborted) this.#log.info(facts, 'A job goes on after the restart.');
      else this.#log.error({ ...facts, err: error }, 'A job failed and will be tried again.');
      throw error;
    }
  }

  #wake(name: string): void {
    for (const id of this.#workers.get(name) ?? []) this.#boss.notifyWorker(id);
  }
}

/** pg-boss's statements on a transaction of ours. */
function within(tx: Transaction): Db {
  return {
    async executeSql(text, values = []) {
      const [head = '', ...rest] = text.split(/\$(\d+)/);
      const strings = [head, ...rest.filter((_, index) => index % 2 === 1)];
      const numbers = rest.filter((_, index) => index % 2 === 0);
      const inOrder = numbers.map((number) => values[Number(number) - 1] as RawValue);
      return { rows: await tx.query(sql(strings, ...inOrder)) };
    },
  };
}
