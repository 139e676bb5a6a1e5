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
  const pools = new Map<string, ConnectionPool>();
  return {
    registry,
    /** Requests that are written one by one with the next row of this process (process-recorder.ts). */
    requestLog: new RequestLog(),
    /** The pools of connections to the database, by name. Each scrape reads them. */
    pools,
    build: new Gauge({
      name: 'build_info',
      help: 'Always 1; the labels name the version, the commit, the roles and the Node.js of this process.',
      labelNames: ['version', 'commit', 'roles', 'node'],
      registers,
    }),
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
      help: 'Callers that wait for a connection to the database, by pool.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, { connections }] of pools) this.set({ pool }, connections.waiting);
      },
    }),
    backlogWaiting: new Gauge({
      name: 'backlog_waiting',
      help: 'Entries that wait in each queue of the database, for all processes; NaN while unknown.',
      labelNames: ['queue'],
      registers,
    }),
    backlogAge: new Gauge({
      name: 'backlog_oldest_seconds',
      help: 'How long the oldest entry of each queue of the database has waited; 0 when none waits.',
      labelNames: ['queue'],
      registers,
    }),
    replicaReads: new Counter({
      name: 'replica_reads_total',
      help: 'Calls that may read from the replica, by the server that served them.',
      labelNames: ['server'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of requests by operation and HTTP status.',
      labelNames: ['operation', 'status'],
      buckets: [...LATENCY_SECONDS],
      registers,
    }),
    operationFailures: new Counter({
      name: 'operation_failures_total',
      help: 'Calls of operations that failed, by the status of the failure.',
      labelNames: ['failure'],
      registers,
    }),
    rejectedRequests: new Counter({
      name: 'http_requests_rejected_total',
      help: 'Requests that reached no operation, such as malformed ones, by HTTP status.',
      labelNames: ['status'],
      registers,
    }),
    refusedConnections: new Counter({
      name: 'http_connections_refused_total',
      help: 'Connections that were closed at once because MAX_CONNECTIONS were open.',
      registers,
    }),
    openSockets: new Gauge({
      name: 'open_sockets',
      help: 'WebSockets open in this process, by path.',
      labelNames: ['path'],
      registers,
    }),
    socketRefusals: new Counter({
      name: 'socket_refusals_total',
      help: 'WebSockets, and connections to documents over them, that were refused or ended, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    loopSeconds: new Histogram({
      name: 'background_pass_duration_seconds',
      help: 'Duration of the passes of each background loop, by whether they were done or failed.',
      labelNames: ['loop', 'outcome'],
      buckets: [0.001, 0.01, 0.1, 1, 10],
      registers,
    }),
    redisUp: new Gauge({
      name: 'redis_up',
      help: 'Whether Redis answers (1) or not (0), by the purpose of the connection.',
      labelNames: ['connection'],
      registers,
    }),
    callsWaiting: new Gauge({
      name: 'calls_waiting',
      help: 'Calls that wait in this process until others of their API key are done.',
      registers,
    }),
    callsRefused: new Counter({
      name: 'calls_refused_total',
      help: 'Calls that were refused because their API key exceeded a limit, by limit.',
      labelNames: ['limit'],
      registers,
    }),
    quotaRefusals: new Counter({
      name: 'quota_refusals_total',
      help: 'Calls and mails that were refused because a quota of their API key was used up, by quota.',
      labelNames: ['quota'],
      registers,
    }),
    abortedRequests: new Counter({
      name: 'http_requests_aborted_total',
      help: 'Requests whose client disconnected before its body was complete, or before its answer was sent.',
      labelNames: ['phase'],
      registers,
    }),
    events: new Counter({
      name: 'events_total',
      help: 'Events that reached the log, by type.',
      labelNames: ['type'],
      registers,
    }),
    mails: new Counter({
      name: 'mails_total',
      help: 'Attempts to send an e-mail, by service and outcome.',
      labelNames: ['service', 'outcome'],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookSeconds: new Histogram({
      name: 'webhook_delivery_duration_seconds',
      help: 'Duration of attempts to deliver a webhook.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    liveDocuments: new Gauge({
      name: 'live_documents',
      help: 'Documents open in this process.',
      registers,
    }),
    liveConnections: new Gauge({
      name: 'live_connections',
      help: 'WebSocket connections to documents in this process.',
      registers,
    }),
    openSubscriptions: new Gauge({
      name: 'open_subscriptions',
      help: 'Subscriptions open in this process.',
      registers,
    }),
    liveUpdates: new Counter({
      name: 'live_updates_total',
      help: 'Yjs updates committed to the log by this process.',
      registers,
    }),
    aiCallsWaiting: new Gauge({
      name: 'ai_calls_waiting',
      help: 'Calls to model providers that wait for their turn in this process.',
      registers,
    }),
    aiTokens: new Counter({
      name: 'ai_tokens_total',
      help: 'Tokens that model providers counted, by family of models and direction.',
      labelNames: ['provider', 'family', 'direction'],
      registers,
    }),
    aiSeconds: new Histogram({
      name: 'ai_call_duration_seconds',
      help: 'Duration of calls to model providers by family of models and outcome.',
      labelNames: ['provider', 'family', 'outcome'],
      buckets: [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      registers,
    }),
  };
}

/** A pool of connections, as the metrics see it. */
export interface ConnectionPool {
  readonly connections: { inUse: number; idle: number; waiting: number };
}

export type Metrics = ReturnType<typeof createMetrics>;
