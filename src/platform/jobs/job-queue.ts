import { createHash } from 'node:crypto';
import { type Job as BossJob, type Db, PgBoss } from 'pg-boss';
import { type Database, type Sql, sql, type Transaction } from '../database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { type BacklogQueue, MAX_COUNTED } from '../processes/backlog.ts';
import { type Job, type JobHandler, RetryLater } from './job.ts';

/** Workers are woken when there is a job (due-work.ts), so they rarely need to poll. */
const POLL_SECONDS = 300;
/** How many jobs of one kind run at a time in one process, so that a long one does not hold up all others. */
const WORKERS_PER_JOB = 2;
const STOP_DEADLINE_MS = 5_000;

const QUEUE_OPTIONS = {
  // At most one job for each key is waiting or running.
  policy: 'exclusive',
  // A failed job is retried for days, because a deletion must not stay incomplete.
  retryLimit: 10_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 3_600,
  // A crashed process sends no heartbeats; the supervisor then assigns its job to another.
  heartbeatSeconds: 20,
  retentionSeconds: 90 * 24 * 3_600,
};
/** The interval of pg-boss's maintenance. */
const SUPERVISE_SECONDS = 60;
/** The shortest interval of checks for crashed workers. */
const MONITOR_SECONDS = 5;
/** The interval of checks for flows (jobs that depend on each other), which are not used here. */
const FLOW_SECONDS = 3_600;

interface JobQueueDependencies extends LoopDependencies {
  db: Database;
  dueWork: DueWork;
  /** Whether this process also runs jobs, and takes over those of crashed processes. */
  runsJobs: boolean;
}

/** Background jobs in PostgreSQL, which survive a crash. */
export class JobQueue {
  readonly #deps: JobQueueDependencies;
  readonly #boss: PgBoss;
  /** Lets pg-boss assign the jobs of dead workers to others. */
  readonly #supervision: BackgroundLoop;
  /** Functions that stop watching for due work. */
  readonly #stopWatching: Array<() => void> = [];
  readonly #stopping = new AbortController();

  constructor(deps: JobQueueDependencies) {
    const { db, log, runsJobs } = deps;
    this.#deps = deps;
    this.#boss = new PgBoss({
      db: {
        executeSql: (text, values) =>
          db.pool.query(`/* all tenants, background */ ${text}`, values),
      },
      schema: 'pgboss',
      schedule: false,
      supervise: runsJobs,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: MONITOR_SECONDS,
      flowIntervalSeconds: FLOW_SECONDS,
    });
    this.#supervision = new BackgroundLoop(deps, {
      name: 'dead-worker-jobs',
      pauseMs: MONITOR_SECONDS * 1_000,
      run: () => this.#boss.supervise(),
      failure: 'Jobs of dead workers could not be assigned to other workers.',
    });
    this.#boss.on('error', (error) => log.warn({ err: error }, 'The job queue reported an error.'));
    this.#boss.on('warning', (warning) =>
      log.warn({ warning }, 'The job queue reported a warning.'),
    );
  }

  async start<Context>(handlers: Array<JobHandler<Context>>, context: Context): Promise<void> {
    await this.#boss.start();
    for (const { name, bulk } of handlers)
      await this.#boss.createQueue(name, bulk?.queue ?? QUEUE_OPTIONS);
    if (!this.#deps.runsJobs) return;
    for (const handler of handlers) await this.#work(handler, context);
    const names = handlers.map(({ name }) => name);
    this.#supervision.start();
    this.#wakeIf(anyAbandoned(names), () => this.#supervision.wake());
  }

  /** Lets running jobs finish their current step. Another worker, or the next start, continues them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The process is stopping.'));
    for (const stopWatching of this.#stopWatching) stopWatching();
    await this.#supervision.stop();
    await this.#boss.stop({ graceful: true, timeout: STOP_DEADLINE_MS, close: false });
  }

  /** Adds jobs in the transaction of a change, so that they exist if and only if the change is committed. */
  async add<Payload extends object>(
    tx: Transaction,
    job: Job<Payload>,
    payloads: Payload[],
  ): Promise<void> {
    if (payloads.length === 0) return;
    const { bulk } = job;
    const jobs = payloads.map((data) =>
      bulk
        ? { data, id: idOf(job.keyOf(data)), group: { id: bulk.groupOf(data) } }
        : { data, singletonKey: job.keyOf(data) },
    );
    await this.#boss.insert(job.name, jobs, { db: within(tx) });
    tx.afterCommit(() => this.#wake(job.name));
  }

  async #work<Context>(handler: JobHandler<Context>, context: Context): Promise<void> {
    const { name, bulk } = handler;
    const options = {
      pollingIntervalSeconds: POLL_SECONDS,
      localConcurrency: bulk?.workers ?? WORKERS_PER_JOB,
      ...(bulk && { localGroupConcurrency: bulk.perGroup }),
    };
    await this.#boss.work(name, options, ([job]: BossJob[]) => {
      this.#wake(name);
      return this.#run(handler, context, job);
    });
    this.#wakeIf(anyReady(name), () => this.#wake(name));
  }

  #wakeIf(condition: Sql, wake: () => void): void {
    this.#stopWatching.push(this.#deps.dueWork.watch(() => nowIf(condition), wake));
  }

  async #run<Context>(handler: JobHandler<Context>, context: Context, job: BossJob | undefined) {
    if (!job) return undefined;
    const facts = { job: handler.name, jobId: job.id, attempt: job.retryCount + 1 };
    const startedAt = performance.now();
    try {
      const signal = AbortSignal.any([job.signal, this.#stopping.signal]);
      const outcome = await handler.run(context, job.data, signal, facts.attempt);
      this.#deps.log.info(
        { ...facts, durationMs: Math.round(performance.now() - startedAt) },
        'A job has finished.',
      );
      return outcome;
    } catch (error) {
      if (error instanceof RetryLater) await this.#postpone(job, error);
      else if (this.#stopping.signal.aborted)
        this.#deps.log.info(facts, 'A job was interrupted by the stop and will be continued.');
      else this.#deps.log.error({ ...facts, err: error }, 'A job failed and will be tried again.');
      throw error;
    }
  }

  /** Marks a job as failed and delays its retry. A handler itself cannot give pg-boss a delay. */
  async #postpone(job: BossJob, error: RetryLater): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      // An attempt that was interrupted because the process is stopping does not count.
      if (this.#stopping.signal.aborted) {
        await tx.query(sql`
          UPDATE pgboss.job /* all tenants, background */ SET retry_limit = retry_limit + 1
          WHERE name = ${job.name} AND id = ${job.id}`);
      }
      await this.#boss.fail(job.name, job, error, { db: within(tx) });
      await tx.query(sql`
        UPDATE pgboss.job /* all tenants, background */
        SET start_after = GREATEST(start_after, now() + make_interval(secs => ${error.afterMs / 1_000}))
        WHERE name = ${job.name} AND id = ${job.id} AND state = 'retry'`);
    });
  }

  /**
   * Lets one idle worker look for a job; a worker that finds one wakes the next idle worker. Lets the
   * busy workers look for another job after their own.
   */
  #wake(name: string): void {
    const workers = this.#boss.getWipData().filter((worker) => worker.name === name);
    const idle = workers.find(({ count }) => count === 0);
    for (const worker of workers) {
      if (worker.count > 0 || worker === idle) this.#boss.notifyWorker(worker.id);
    }
  }
}

/** Derives the id of a bulk job from its key, so that the job is added only once. It has the digits of a UUID. */
const idOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

/** SQL: whether jobs of a kind are ready to start, with the condition of pg-boss's own index. */
const anyReady = (name: string): Sql => sql`EXISTS (
  SELECT FROM pgboss.job
  WHERE name = ${name} AND state < 'active' AND NOT blocked AND start_after <= now())`;

/**
 * SQL: whether there are jobs whose worker has sent no heartbeat for too long, or whose lease has
 * ended, with the conditions of pg-boss's own indexes.
 */
const anyAbandoned = (names: string[]): Sql => sql`EXISTS (
  SELECT FROM pgboss.job
  WHERE name = ANY(${names})
    AND state <= 'active' AND policy = 'exclusive' AND state = 'active'
    AND heartbeat_on + make_interval(secs => heartbeat_seconds) < now()) OR EXISTS (
  SELECT FROM pgboss.job
  WHERE name = ANY(${names}) AND state = 'active' AND group_id IS NOT NULL
    AND started_on + make_interval(secs => expire_seconds) < now())`;

/** SQL: how many jobs of these kinds could start, up to `MAX_COUNTED`, and since when. */
export const readyJobs = (names: string[], now: Date): Sql => sql`
  SELECT count(*)::int AS waiting, min(start_after) AS since FROM (
    SELECT start_after FROM pgboss.job
    WHERE name = ANY(${names}) AND state < 'active' AND NOT blocked AND start_after <= ${now}
    LIMIT ${MAX_COUNTED}) AS counted`;

/** SQL: how many jobs are not done, and since when, with the condition of pg-boss's own index. */
const openJobs = (condition: Sql): Sql => sql`
  SELECT count(*)::int AS waiting, min(created_on) AS since FROM (
    SELECT created_on FROM pgboss.job
    WHERE state <= 'active' AND policy = 'exclusive' AND ${condition}
    LIMIT ${MAX_COUNTED}) AS counted`;

/** Jobs that could start, and jobs that failed and wait for another attempt. */
export const jobQueues: BacklogQueue[] = [
  {
    name: 'jobs',
    rows: (now) => openJobs(sql`state < 'active' AND start_after <= ${now}`),
  },
  { name: 'failed-jobs', rows: () => openJobs(sql`state = 'retry'`) },
];

/** Lets pg-boss run its statements within a transaction of the caller. */
const within = (tx: Transaction): Db => ({
  executeSql: async (text, values = []) => ({ rows: await tx.query({ text, values }) }),
});
