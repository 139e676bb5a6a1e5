import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import { type Database, type Sql, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { LATENCY_SECONDS } from '../metrics/latency.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { LoggedRequest } from '../metrics/request-log.ts';
import { VERSION } from '../version.ts';
import { waitFor } from '../wait-for.ts';
import type { Backlog } from './backlog.ts';

const MINUTE_MS = 60_000;
/** The interval at which the event loop is sampled. Every measured delay includes it. */
const SAMPLE_INTERVAL_MS = 50;
/** How long a stopping process waits for its last row. If the database takes longer, the row is lost. */
const LAST_ROW_TIMEOUT_MS = 1_000;

interface ProcessRecorderDependencies extends LoopDependencies {
  db: Database;
  clock: Clock;
  metrics: Metrics;
  backlog: Backlog;
  roles: Iterable<string>;
}

/** The values of a process at one moment. */
export interface ProcessState {
  /** Documents that are open in the process. */
  liveDocuments: number;
  /** Connections of editors to these documents. */
  liveConnections: number;
  subscriptions: number;
  /** WebSockets of all paths. */
  sockets: number;
  database: Database['connections'];
  /** Whether Redis responds; null without Redis. */
  redis: boolean | null;
  /** In the last minute, 99 % of the turns of the event loop began with at most this delay. */
  loopDelayMs: number;
  memoryBytes: number;
}

/**
 * Writes the work of this process into PostgreSQL, once a minute with one statement, so that an
 * operator sees all processes without Prometheus.
 */
export class ProcessRecorder {
  readonly #deps: ProcessRecorderDependencies;
  readonly #startedAt: Date;
  readonly #loop: BackgroundLoop;
  /** The work that was counted in earlier rows. */
  #recorded: Work = { requests: 0, errors: 0, latency: [], deliveries: 0, failedDeliveries: 0 };
  readonly #loopDelay = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS });

  constructor(deps: ProcessRecorderDependencies) {
    this.#deps = deps;
    this.#startedAt = new Date(deps.clock.now());
    this.#loop = new BackgroundLoop(deps, {
      name: 'process-metrics',
      everyMs: MINUTE_MS,
      run: () => this.record(),
      failure: 'The metrics of this process could not be written.',
    });
  }

  start(): void {
    this.#loopDelay.enable();
    this.#loop.start();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await waitFor(this.#recordLast(), LAST_ROW_TIMEOUT_MS);
    this.#loopDelay.disable();
  }

  async #recordLast(): Promise<void> {
    await this.#loop.stop();
    await this.record({ isLast: true }).catch(() => undefined);
  }

  /**
   * Writes a row with the work since the last row, unless the process was idle. If writing fails, the
   * next row includes this work, but the entries about individual requests are lost.
   */
  async record({ isLast = false } = {}): Promise<void> {
    const { db, metrics } = this.#deps;
    const requests = metrics.requestLog.take();
    const state = await this.#readState();
    const work = await countWork(metrics);
    this.#loopDelay.reset();
    const sinceRecorded = workSince(this.#recorded, work);
    await db.query(this.#statement({ work: sinceRecorded, requests, state, isLast }));
    this.#recorded = work;
  }

  #statement({ work, requests, state, isLast }: Row): Sql {
    const { db, clock, backlog, roles } = this.#deps;
    const now = new Date(clock.now());
    const { liveDocuments, liveConnections, loopDelayMs } = state;
    const done = work.requests + work.deliveries + work.failedDeliveries;
    const isBusy = done > 0 || liveDocuments > 0 || liveConnections > 0;
    return sql`
      WITH backlog AS MATERIALIZED (
        SELECT jsonb_object_agg(queue, jsonb_build_array(waiting, "oldestSeconds"))
                 FILTER (WHERE waiting > 0) AS queues
        FROM (${backlog.statement(now)}) AS queue
      ), seen AS (
        INSERT INTO processes (id, host, pid, roles, version, started_at, seen_at, stopped_at, state)
        VALUES (${db.id}, ${hostname()}, ${process.pid}, ${[...roles]}, ${VERSION},
                ${this.#startedAt}, ${now}, ${isLast ? now : null}, ${JSON.stringify(state)}::jsonb)
        ON CONFLICT (id) DO UPDATE SET
          seen_at = EXCLUDED.seen_at, stopped_at = EXCLUDED.stopped_at, state = EXCLUDED.state
      ), logged AS (
        INSERT INTO logged_requests (id, at, request_id, operation, api_key, status, duration_ms,
                                     statements)
        SELECT id, to_timestamp(at / 1000), "requestId", operation, "apiKey", status, "durationMs",
               statements
        FROM jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) AS request(
          id text, at float8, "requestId" text, operation text, "apiKey" text, status int,
          "durationMs" float8, statements int)
      )
      INSERT INTO process_metrics (process_id, at, requests, errors, latency, live_documents,
                                   live_connections, loop_delay_ms, deliveries, failed_deliveries,
                                   backlog)
      SELECT ${db.id}, ${now}, ${work.requests}, ${work.errors}, ${work.latency}::int[],
             ${liveDocuments}, ${liveConnections}, ${loopDelayMs}, ${work.deliveries},
             ${work.failedDeliveries}, COALESCE(queues, '{}')
      FROM backlog WHERE ${isBusy} OR queues IS NOT NULL
      ON CONFLICT DO NOTHING`;
  }

  async #readState(): Promise<ProcessState> {
    const { db, metrics } = this.#deps;
    const { values } = await metrics.redisUp.get();
    const delayMs = this.#loopDelay.percentile(99) / 1e6 - SAMPLE_INTERVAL_MS;
    return {
      liveDocuments: sumOf(await metrics.liveDocuments.get()),
      liveConnections: sumOf(await metrics.liveConnections.get()),
      subscriptions: sumOf(await metrics.openSubscriptions.get()),
      sockets: sumOf(await metrics.openSockets.get()),
      database: db.connections,
      redis: values.length === 0 ? null : values.every(({ value }) => value === 1),
      loopDelayMs: Math.max(0, Math.round(delayMs * 10) / 10),
      memoryBytes: process.memoryUsage.rss(),
    };
  }
}

/** The work of a process during some time. */
interface Work {
  requests: number;
  /** Requests that failed through no fault of their caller (5xx). */
  errors: number;
  /** The number of requests in each bucket of `LATENCY_SECONDS`, and in one more bucket for slower ones. */
  latency: number[];
  /** Successful attempts to deliver a webhook. */
  deliveries: number;
  failedDeliveries: number;
}

/** The values that are written together. */
interface Row {
  work: Work;
  /** Individual calls, each of which is stored in a row of its own. */
  requests: LoggedRequest[];
  state: ProcessState;
  isLast: boolean;
}

/** Adds up what the metrics have counted since the process started. */
async function countWork({ requestSeconds, webhookDeliveries }: Metrics): Promise<Work> {
  const { values } = await requestSeconds.get();
  const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'));
  const failed = counts.filter(({ labels }) => Number(labels.status) >= 500);
  const requests = sumOf({ values: counts });
  // Each bucket of the metric also counts the requests in the faster buckets.
  const fasterThan = LATENCY_SECONDS.map((bound) =>
    sumOf({ values: values.filter(({ labels }) => 'le' in labels && labels.le === bound) }),
  );
  const latency = [...fasterThan, requests].map((count, at) => count - (fasterThan[at - 1] ?? 0));
  const attempts = await webhookDeliveries.get();
  const delivered = attempts.values.filter(({ labels }) => labels.outcome === 'delivered');
  const deliveries = sumOf({ values: delivered });
  const failedDeliveries = sumOf(attempts) - deliveries;
  return { requests, errors: sumOf({ values: failed }), latency, deliveries, failedDeliveries };
}

const workSince = (before: Work, now: Work): Work => ({
  requests: now.requests - before.requests,
  errors: now.errors - before.errors,
  latency: now.latency.map((count, bucket) => count - (before.latency[bucket] ?? 0)),
  deliveries: now.deliveries - before.deliveries,
  failedDeliveries: now.failedDeliveries - before.failedDeliveries,
});

const sumOf = ({ values }: { values: Array<{ value: number }> }): number =>
  values.reduce((sum, { value }) => sum + value, 0);
