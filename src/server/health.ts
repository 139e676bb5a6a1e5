import type { FastifyInstance } from 'fastify';
import type { Services } from '../api/context.ts';
import type { Lifecycle } from '../platform/processes/lifecycle.ts';
import { COMMIT, VERSION } from '../platform/version.ts';
import { waitFor } from '../platform/wait-for.ts';
import { metricsAccess } from './credentials/metrics-access.ts';

/** `/healthz` reports that the process runs, `/readyz` that it can serve. */
export function registerHealth(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const problem = await lifecycle.problem();
    const { degraded } = lifecycle;
    const build = { version: VERSION, commit: COMMIT };
    if (problem !== undefined) {
      return reply.code(503).send({ status: 'unavailable', problem, ...build });
    }
    return { status: 'ready', degraded, ...build };
  });
}

/** Serves `/metrics` in the format of Prometheus. */
export function registerMetrics(app: FastifyInstance, services: Services): void {
  const { metrics } = services;
  const requireAccess = metricsAccess(services);
  app.get('/metrics', async (request, reply) => {
    requireAccess(request);
    await measureBacklog(services);
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}

/** Scrapers give up after a few seconds, and need the other metrics most when the database hangs. */
const BACKLOG_TIMEOUT_MS = 1_000;

/** Measures the work that waits. The numbers are NaN while the database does not answer. */
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
