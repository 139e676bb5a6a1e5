import type { FastifyInstance } from 'fastify';
import type { Services } from './context.ts';
import { metricsAccess } from './credentials/metrics-access.ts';

export interface Health {
  /** Returns the reason why this process cannot serve; undefined when it is ready. */
  problem(): Promise<string | undefined>;
  /** A missing dependency without which the process can still serve. */
  readonly degraded: string | undefined;
}

/** `/healthz` reports that the process runs, `/readyz` that it can serve. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const problem = await health.problem();
    const { degraded } = health;
    if (problem === undefined) return { status: 'ready', ...(degraded ? { degraded } : {}) };
    return reply.code(503).send({ status: 'unavailable', problem });
  });
}

/** Serves `/metrics` in the format of Prometheus. */
export function registerMetrics(app: FastifyInstance, services: Services): void {
  const { metrics, events } = services;
  const requireAccess = metricsAccess(services);
  app.get('/metrics', async (request, reply) => {
    requireAccess(request);
    // The age is NaN while the database is unavailable, since it is unknown.
    const waitMs = await events.longestWaitMs().catch(() => Number.NaN);
    metrics.eventOutboxAge.set(waitMs / 1_000);
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
