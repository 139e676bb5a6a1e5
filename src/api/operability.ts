import type { FastifyInstance } from 'fastify';
import type { Services } from './context.ts';
import { metricsAccess } from './metrics-access.ts';

export interface Health {
  /** What keeps this process from serving, or nothing when it is ready. */
  problem(): Promise<string | undefined>;
  /** What is away although the process can serve without it. */
  readonly degraded: string | undefined;
}

/** `/healthz`: the process runs. `/readyz`: it can serve. */
export function registerHealth(app: FastifyInstance, health: Health): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const problem = await health.problem();
    const { degraded } = health;
    if (problem === undefined) return { status: 'ready', ...(degraded ? { degraded } : {}) };
    return reply.code(503).send({ status: 'unavailable', problem });
  });
}

/** `/metrics`, in Prometheus' format. */
export function registerMetrics(app: FastifyInstance, services: Services): void {
  const { metrics, events } = services;
  const requireAccess = metricsAccess(services);
  app.get('/metrics', async (request, reply) => {
    requireAccess(request);
    // Not a number while the database is away: what waits is not known.
    const waitMs = await events.longestWaitMs().catch(() => Number.NaN);
    metrics.eventOutboxAge.set(waitMs / 1_000);
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}
