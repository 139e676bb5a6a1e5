import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { webhookReader } from '../../../src/features/webhooks/fan-out.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startTestServer } from '../../support/server.ts';
import { watchStatements } from '../../support/statements.ts';
import {
  createEndpoint,
  deliveriesOf,
  publishEvents,
  webhookTenant,
} from '../../support/webhooks.ts';

describe('the queue of an endpoint', () => {
  it('is claimed once for deliveries that follow each other', async () => {
    let releases = 0;
    const onDatabase = ({ pool }: Database) =>
      watchStatements(pool, (text) => {
        if (text.includes('WITH released')) releases += 1;
      });
    const server = await startTestServer(
      { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
      { onDatabase },
    );
    const headers = await webhookTenant(server);
    const receiver = await startReceiver();
    await createEndpoint(server, headers, { url: receiver.url });
    for (let n = 1; n <= 20; n++) {
      await publishEvents(server, headers, [{}]);
      await eventually(async () =>
        expect(await deliveriesOf(server, headers, { status: 'delivered' })).toHaveLength(n),
      );
    }
    expect(receiver.received).toHaveLength(20);
    // On a slow machine, it may be released between two of them after all.
    expect(releases).toBeLessThan(10);
    await eventually(() => expect(releases).toBeGreaterThan(0));
  });

  it('wakes its owner when another process adds deliveries', async () => {
    const owner = await startTestServer({ ROLES: 'api' });
    const other = await startTestServer({ ROLES: 'api', DATABASE_URL: owner.databaseUrl });
    const headers = await webhookTenant(owner);
    const tenantId = headers['x-svc-api-key'] ?? '';
    const { id } = await createEndpoint(owner, headers, { url: 'https://example.com/' });
    await publishEvents(owner, headers, [{}]);
    const { db, events, wakeUps } = owner.app.services;
    await events.sequence();
    await db.pool.query(
      'INSERT INTO webhook_queues (tenant_id, endpoint_id, owner) VALUES ($1, $2, $3)',
      [tenantId, id, db.id],
    );
    const woken = once(wakeUps, 'deliveries', { signal: AbortSignal.timeout(10_000) });
    const all = { tenantId, after: '0', types: null, limit: 10 };
    const { services } = other.app;
    const read = await services.events.read(all);
    await services.db.transaction((tx) => webhookReader.handle(services, tx, read.events));
    await woken;
  });
});
