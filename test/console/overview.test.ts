import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { ProcessRecorder } from '../../src/platform/processes/process-recorder.ts';
import type { Loose } from '../support/answers.ts';
import { callConsole, credentialsOf, signInTo } from '../support/console.ts';
import { openDatabase } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { respondWith, startReceiver } from '../support/receiver.ts';
import { startTestServer } from '../support/server.ts';
import { createEndpoint, setAdvancedWebhooks } from '../support/webhooks.ts';
import { createWorkspaceKey } from '../support/workspaces.ts';

const MINUTE_MS = 60_000;
const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
const receiver = await startReceiver(respondWith(500));
const other = await createWorkspaceKey(server);
const fail = async (headers: Record<string, string>) => {
  await setAdvancedWebhooks(server, headers, true);
  const { id } = await createEndpoint(server, headers, { url: receiver.url });
  const organizations = [{ organizationId: 'acme' }];
  await server.call('/v2/organizations/add', { organizations }, headers);
  return id as string;
};
/** A failing endpoint of the quickstart's key, and one of a key in another workspace. */
const failing = { own: await fail(server.keyHeaders), other: await fail(other) };

async function overviewFor(role: 'administrator' | 'owner' | 'operator', span = 'hour') {
  const { url } = server;
  const { cookie } = await signInTo(url, credentialsOf(server)[role]);
  return callConsole({ url, cookie }, 'console.overview.read', 'query', { span });
}

const endpointsIn = ({ attention }: Loose): string[] =>
  attention.flatMap(({ endpointId = [] }: Loose) => endpointId);

describe('the overview', () => {
  it('names endpoints that fail, to everybody who may see them, and to nobody else', async () => {
    await eventually(async () => {
      const all = endpointsIn(await overviewFor('administrator')).toSorted();
      expect(all).toEqual([failing.own, failing.other].toSorted());
    });
    for (const role of ['owner', 'operator'] as const) {
      const overview = await overviewFor(role);
      expect(endpointsIn(overview)).toEqual([failing.own]);
      expect(overview.attention[0]).toMatchObject({ apiKey: server.quickstart.apiKey });
      expect(overview.server).toBeNull();
    }
  });

  it('shows the work and the recent errors of all processes, and one that is gone', async () => {
    const { services } = server.app;
    const now = services.clock.now();
    const clock = { now: () => now - 10 * MINUTE_MS };
    const metrics = createMetrics();
    for (let count = 0; count < 7; count++)
      metrics.requestSeconds.observe({ operation: 'users.get', status: 200 }, 0.01);
    metrics.requestSeconds.observe({ operation: 'users.get', status: 500 }, 0.01);
    const db = openDatabase(server.databaseUrl);
    await new ProcessRecorder({ ...services, db, clock, metrics, roles: ['api'] }).record();

    for (const [span, spans] of [
      ['hour', 60],
      ['day', 97],
    ] as const) {
      const overview = await overviewFor('administrator', span);
      const { total, series, processes, queues } = overview.server;
      expect(overview.attention).toContainEqual(expect.objectContaining({ kind: 'errors' }));
      expect(total.requests).toBeGreaterThanOrEqual(8);
      expect(series.length).toBeLessThanOrEqual(spans);
      expect(processes).toContainEqual(expect.objectContaining({ id: db.id, health: 'gone' }));
      expect(queues.map(({ queue }: Loose) => queue)).toEqual(services.backlog.names);
    }
  });

  it('warns when the SECRET_KEY of this process is not that of the others', async () => {
    const kinds = async () =>
      (await overviewFor('administrator')).attention.map(({ kind }: Loose) => kind);
    expect(await kinds()).not.toContain('sealing key');
    await server.app.services.db.pool.query(`UPDATE key_sentinel SET sealed_text = 'v1.other.x'`);
    expect(await kinds()).toContain('sealing key');
  });
});
