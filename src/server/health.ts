import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../platform/processes/lifecycle.ts';
import { COMMIT, VERSION } from '../platform/version.ts';

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
