import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { type Database, type Sql, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { RequestCounts } from '../metrics/request-counts.ts';
import type { LoggedRequest } from '../metrics/request-log.ts';
import { VERSION } from '../version.ts';
import type { Backlog } from './backlog.ts';

const MINUTE_MS = 60_000;
/** The interval at which the event loop is sampled. Every measured delay includes it. */
const SAMPLE_INTERVAL_MS = 50;
/** How long the stop waits for the last row. If the database takes longer, the row is lost. */
const LAST_ROW_MS = 1_000;

interface ProcessRecorderParts extends LoopParts {
  db: Database;
  clock: Clock;
  metrics: Metrics;
  backlog: Backlog;
  roles: Iterable<string>;
}

/** The values of a process at one moment. */
export interface ProcessState {
  /** Documents open in the process, and connections of editors to them. */
  liveDocuments: number;
  liveConnections: number;
  subscriptions: number;
  /** WebSockets of all paths. */
  sockets: number;
  /** Connections to the database. Rows of older versions have no `most`. */
  database: { inUse: number; idle: number; waiting: number; most?: number };
  /** Whether Redis answers; null without Redis. */
  redis: boolean | null;
  /** In the last minute, 99 % of the turns of the event loop began with at most this delay. */
  loopDelayMs: number;
  memoryBytes: number;
}

/**
 * Writes what this process did into PostgreSQL, once a minute with one statement, so that an
 * operator sees all processes without Prometheus.
 */
export class ProcessRecorder {
  readonly #parts: ProcessRecorderParts;
  readonly #startedAt: Date;
  readonly #loop: BackgroundLoop;
  /** The attempts to deliver webhooks that are counted in earlier rows. */
  #recorded: DeliveryCounts = { deliveries: 0, failedDeliveries: 0 };
  readonly #loopDelay = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS });

  constructor(parts: ProcessRecorderParts) {
    this.#parts = parts;
    this.#startedAt = new Date(parts.clock.now());
    this.#loop = new BackgroundLoop(parts, {
      name: 'process metrics',
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
    await Promise.race([this.#recordLast(), delay(LAST_ROW_MS, undefined, { ref: false })]);
    this.#loopDelay.disable();
  }

  async #recordLast(): Promise<void> {
    await this.#loop.stop();
    await this.record({ isLast: true }).catch(() => undefined);
  }

  /**
   * Writes a row of what happened since the last one. If that fails, the next row includes it, but
   * single requests are lost.
   */
  async record({ isLast = false } = {}): Promise<void> {
    const { db, metrics } = this.#parts;
    const counts = metrics.requestCounts.take();
    const requests = metrics.requestLog.take();
    const state = await this.#state();
    const attempts = await countDeliveries(metrics);
    this.#loopDelay.reset();
    try {
      await db.query(this.#statement({ counts, requests, attempts, state, isLast }));
      this.#recorded = attempts;
    } catch (error) {
      metrics.requestCounts.merge(counts);
      throw error;
    }
  }

  #statement({ counts, requests, attempts, state, isLast }: Row): Sql {
    const { db, clock, backlog, roles } = this.#parts;
    const now = new Date(clock.now());
    const { liveDocuments, liveConnections, loopDelayMs } = state;
    const deliveries = attempts.deliveries - this.#recorded.deliveries;
    const failedDeliveries = attempts.failedDeliveries - this.#recorded.failedDeliveries;
    const done = counts.requests + deliveries + failedDeliveries;
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
      SELECT ${db.id}, ${now}, ${counts.requests}, ${counts.errors}, ${counts.latency}::int[],
             ${liveDocuments}, ${liveConnections}, ${loopDelayMs}, ${deliveries}, ${failedDeliveries},
             COALESCE(queues, '{}')
      FROM backlog WHERE ${isBusy} OR queues IS NOT NULL
      ON CONFLICT DO NOTHING`;
  }

  async #state(): Promise<ProcessState> {
    const { db, metrics } = this.#parts;
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

/** Attempts to deliver a webhook since the process started. */
interface DeliveryCounts {
  deliveries: number;
  failedDeliveries: number;
}

interface Row {
  counts: RequestCounts;
  requests: LoggedRequest[];
  attempts: DeliveryCounts;
  state: ProcessState;
  isLast: boolean;
}

async function countDeliveries({ webhookDeliveries }: Metrics): Promise<DeliveryCounts> {
  const { values } = await webhookDeliveries.get();
  const delivered = values.filter(({ labels }) => labels.outcome === 'delivered');
  const deliveries = sumOf({ values: delivered });
  return { deliveries, failedDeliveries: sumOf({ values }) - deliveries };
}

const sumOf = ({ values }: { values: Array<{ value: number }> }): number =>
  values.reduce((sum, { value }) => sum + value, 0);
