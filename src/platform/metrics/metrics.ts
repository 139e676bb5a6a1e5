import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { LATENCY_SECONDS } from './latency.ts';
import { RequestLog } from './request-log.ts';

/** How often the event loop's lag is sampled. The default of 10 ms keeps an idle process busy. */
const LAG_INTERVAL_MS = 50;

/**
 * The metrics that `/metrics` shows. Labels name operations and outcomes, never ids, so that the
 * number of series does not grow with the number of customers.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_INTERVAL_MS });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new Histogram({ name, help, buckets, labelNames, registers });
  const pools = new Map<string, ConnectionPool>();
  return {
    registry,
    /** Individual requests that process-recorder.ts has not written to the database yet. */
    requestLog: new RequestLog(),
    /** The pools of connections to the database, by name. Each scrape reads them. */
    pools,
    build: gauge(
      'build_info',
      'Always 1; the labels name the version, commit, roles and Node.js version of this process.',
      ['version', 'commit', 'roles', 'node'],
    ),
    poolConnections: new Gauge({
      name: 'database_connections',
      help: 'Connections to the database by pool, and whether they are in use or idle.',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, { connections }] of pools) {
          this.set({ pool, state: 'in-use' }, connections.inUse);
          this.set({ pool, state: 'idle' }, connections.idle);
        }
      },
    }),
    poolWaiting: new Gauge({
      name: 'database_connections_waiting',
      help: 'Callers that are waiting for a connection to the database, by pool.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { connections }] of pools) this.set({ pool }, connections.waiting);
      },
    }),
    backlogWaiting: gauge(
      'backlog_waiting',
      'Entries that are waiting in each queue of the database, for all processes; NaN while unknown.',
      ['queue'],
    ),
    backlogAge: gauge(
      'backlog_oldest_seconds',
      'How long the oldest entry of each queue of the database has waited; 0 when none waits.',
      ['queue'],
    ),
    replicaReads: counter(
      'replica_reads_total',
      'Calls that may read from the replica, by the server that served them.',
      ['server'],
    ),
    requestSeconds: histogram(
      'http_request_duration_seconds',
      'Duration of requests by operation and HTTP status.',
      [...LATENCY_SECONDS],
      ['operation', 'status'],
    ),
    operationFailures: counter(
      'operation_failures_total',
      'Calls of operations that failed, by the status of the failure.',
      ['failure'],
    ),
    rejectedRequests: counter(
      'http_requests_rejected_total',
      'Requests that reached no operation, such as malformed ones, by HTTP status.',
      ['status'],
    ),
    refusedConnections: counter(
      'http_connections_refused_total',
      'Connections that were closed at once because MAX_CONNECTIONS were open.',
    ),
    openSockets: gauge('open_sockets', 'WebSockets open in this process, by path.', ['path']),
    socketRefusals: counter(
      'socket_refusals_total',
      'WebSockets, and connections to documents over them, that were refused or ended, by reason.',
      ['reason'],
    ),
    loopSeconds: histogram(
      'background_pass_duration_seconds',
      'Duration of the passes of each background loop, by whether they succeeded or failed.',
      [0.001, 0.01, 0.1, 1, 10],
      ['loop', 'outcome'],
    ),
    redisUp: gauge(
      'redis_up',
      'Whether Redis responds (1) or not (0), by the purpose of the connection.',
      ['connection'],
    ),
    callsWaiting: gauge(
      'calls_waiting',
      'Calls that are waiting in this process until other calls of their API key are done.',
    ),
    callsRefused: counter(
      'calls_refused_total',
      'Calls that were refused because their API key exceeded a limit, by limit.',
      ['limit'],
    ),
    quotaRefusals: counter(
      'quota_refusals_total',
      'Calls and emails that were refused because their API key had reached a quota, by quota.',
      ['quota'],
    ),
    abortedRequests: counter(
      'http_requests_aborted_total',
      'Requests whose client disconnected before the body was complete, or before the response was sent.',
      ['phase'],
    ),
    events: counter('events_total', 'Events that reached the log, by type.', ['type']),
    mails: counter('mails_total', 'Attempts to send an email, by service and outcome.', [
      'service',
      'outcome',
    ]),
    webhookDeliveries: counter(
      'webhook_deliveries_total',
      'Attempts to deliver a webhook, by outcome.',
      ['outcome'],
    ),
    webhookSeconds: histogram(
      'webhook_delivery_duration_seconds',
      'Duration of attempts to deliver a webhook.',
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    ),
    liveDocuments: gauge('live_documents', 'Documents open in this process.'),
    liveConnections: gauge(
      'live_connections',
      'WebSocket connections to documents in this process.',
    ),
    openSubscriptions: gauge('open_subscriptions', 'Subscriptions open in this process.'),
    liveUpdates: counter('live_updates_total', 'Yjs updates committed to the log by this process.'),
    aiCallsWaiting: gauge(
      'ai_calls_waiting',
      'Calls to model providers that are waiting for their turn in this process.',
    ),
    aiTokens: counter(
      'ai_tokens_total',
      'Tokens that model providers counted, by family of models and direction.',
      ['provider', 'family', 'direction'],
    ),
    aiSeconds: histogram(
      'ai_call_duration_seconds',
      'Duration of calls to model providers by family of models and outcome.',
      [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      ['provider', 'family', 'outcome'],
    ),
  };
}

/** A pool of connections, as the metrics see it. */
interface ConnectionPool {
  readonly connections: { inUse: number; idle: number; waiting: number };
}

export type Metrics = ReturnType<typeof createMetrics>;
