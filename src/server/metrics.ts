import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../api/context.ts';
import { addressReader, isLoopback, isOwnHost } from '../api/credentials/client-address.ts';
import { bearerToken, HEADERS } from '../api/credentials/headers.ts';
import { AppError } from '../platform/errors.ts';
import { equalSecrets } from '../platform/secrets.ts';
import { waitFor } from '../platform/wait-for.ts';

/** How long to wait for the backlog. Scrapers give up after a few seconds, and need the other metrics most when the database hangs. */
const BACKLOG_TIMEOUT_MS = 1_000;
/** Headers that a request has only through a proxy on this machine, or from a page of another site. */
const FOREIGN_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'via',
  'origin',
];

/** Serves `/metrics` in the format of Prometheus. */
export function registerMetrics(app: FastifyInstance, services: Services): void {
  const { metrics } = services;
  const requireAccess = accessCheck(services);
  app.get('/metrics', async (request, reply) => {
    requireAccess(request);
    await measureBacklog(services);
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}

/** Measures the pending work. The numbers are NaN while the database does not respond. */
async function measureBacklog({ db, clock, metrics, backlog }: Services): Promise<void> {
  const unknown = { waiting: Number.NaN, oldestSeconds: Number.NaN };
  const reading = backlog.read(db, new Date(clock.now())).catch(() => undefined);
  const states =
    (await waitFor(reading, BACKLOG_TIMEOUT_MS)) ??
    backlog.names.map((queue) => ({ queue, ...unknown }));
  for (const { queue, waiting, oldestSeconds } of states) {
    metrics.backlogWaiting.set({ queue }, waiting);
    metrics.backlogAge.set({ queue }, oldestSeconds);
  }
}

/**
 * Returns a function that checks access to the metrics, which needs METRICS_TOKEN or the admin token. If
 * METRICS_TOKEN is not set, clients on this machine need no token, and with METRICS_PORT, on which metrics
 * are then served, no client does.
 */
function accessCheck({ config, gate }: Services) {
  const { metricsToken, metricsPort, adminToken } = config;
  const addressOf = addressReader(config.trustProxy);
  const needsNoToken = ({ raw, headers, host }: FastifyRequest) =>
    metricsPort !== undefined ||
    (isLoopback(raw.socket) &&
      isOwnHost(host) &&
      FOREIGN_HEADERS.every((name) => headers[name] === undefined));
  const isValid = (token: string) =>
    equalSecrets(token, adminToken) ||
    (metricsToken !== undefined && equalSecrets(token, metricsToken));
  /** @throws PERMISSION_DENIED, or RESOURCE_EXHAUSTED after too many wrong tokens */
  return (request: FastifyRequest): void => {
    const token = tokenOf(request);
    if (token === undefined) {
      if (metricsToken === undefined && needsNoToken(request)) return;
      throw denied();
    }
    if (isValid(token)) return;
    const attempt = { address: addressOf(request.raw), level: 'metrics', key: 'metrics' } as const;
    throw gate.failedCredentials.refuse(attempt, denied());
  };
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  const admin = headers[HEADERS.adminToken];
  return typeof admin === 'string' ? admin : bearerToken(headers.authorization);
}

const denied = () =>
  new AppError(
    'PERMISSION_DENIED',
    'Metrics need METRICS_TOKEN as a bearer token, or the admin token.',
  );
