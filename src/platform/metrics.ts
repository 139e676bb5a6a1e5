import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The event loop's lag is sampled so often: the usual 10 ms keep an idle process busier than all else. */
const LAG_PRECISION_MS = 50;

/**
 * What `/metrics` shows. Labels name operations and outcomes, never ids, so that the number of
 * series stays small whatever the number of customers.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of requests by operation and HTTP status.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
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
      help: 'Whether Redis answers (1) or not (0), by what the connection is for.',
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
      help: 'Calls that were refused since their API key asked for too much, by the limit.',
      labelNames: ['limit'],
      registers,
    }),
    quotaRefusals: new Counter({
      name: 'quota_refusals_total',
      help: 'Calls and mails that were refused since a quota of their API key was used up, by quota.',
      labelNames: ['quota'],
      registers,
    }),
    abortedRequests: new Counter({
      name: 'http_requests_aborted_total',
      help: 'Requests whose client went away: while it sent its body, or before its answer.',
      labelNames: ['phase'],
      registers,
    }),
    events: new Counter({
      name: 'events_total',
      help: 'Events that reached the log, by type.',
      labelNames: ['type'],
      registers,
    }),
    eventOutboxAge: new Gauge({
      name: 'event_outbox_age_seconds',
      help: 'Age of the oldest event that is committed and not yet in the log; 0 when there is none.',
      registers,
    }),
    mails: new Counter({
      name: 'mails_total',
      help: 'Attempts to send an e-mail, by service and by what came of them.',
      labelNames: ['service', 'outcome'],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by what came of them.',
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
      help: 'Calls of model providers that wait for their turn in this process.',
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
      help: 'Duration of calls of model providers by family of models and outcome.',
      labelNames: ['provider', 'family', 'outcome'],
      buckets: [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
