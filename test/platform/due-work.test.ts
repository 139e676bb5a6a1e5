import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { DueWork, nowIf } from '../../src/platform/loops/due-work.ts';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const server = await startTestServer({ ROLES: 'api,realtime' });

function startDueWork(): DueWork {
  const dueWork = new DueWork(server.app.services);
  whenFileEnds(() => dueWork.stop());
  dueWork.start();
  return dueWork;
}

const insertIntoOutbox = (id: string) =>
  server.app.services.db.pool.query(
    `INSERT INTO event_outbox (tenant_id, id, type, channels, data, created_at)
     VALUES ($1, $2, 'document.add', '{}', '{}', now())`,
    [server.quickstart.apiKey, id],
  );

describe('due work', () => {
  it('wakes its loop when it is due, and not before', async () => {
    const dueAt = Date.now() + 1_500;
    const wokenAt: number[] = [];
    const leave = startDueWork().watch(
      () => sql`SELECT ${dueAt}::float8`,
      () => void wokenAt.push(Date.now()),
    );
    await eventually(() => expect(wokenAt.length).toBeGreaterThan(0));
    leave();
    expect(wokenAt[0]).toBeGreaterThanOrEqual(dueAt);
  });

  it('wakes no loop without work, and none that has stopped', async () => {
    const dueWork = startDueWork();
    const woken: string[] = [];
    dueWork.watch(
      () => nowIf(sql`false`),
      () => void woken.push('without work'),
    );
    dueWork.watch(
      () => nowIf(sql`true`),
      () => void woken.push('gone'),
    )();
    dueWork.watch(
      () => nowIf(sql`true`),
      () => void woken.push('with work'),
    );
    await eventually(() => expect(woken.length).toBeGreaterThan(1));
    expect(new Set(woken)).toEqual(new Set(['with work']));
  });
});

describe('work of another process', () => {
  it('is noticed when it has put events into the outbox', async () => {
    const id = fresh('event');
    await insertIntoOutbox(id);
    await eventually(async () => {
      const { rows } = await server.app.services.db.pool.query(
        'SELECT 1 FROM events WHERE tenant_id = $1 AND id = $2',
        [server.quickstart.apiKey, id],
      );
      expect(rows.length).toBe(1);
    });
  });

  it('wakes the webhook dispatchers as soon as it is committed', async () => {
    const worker = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'worker' });
    await server.app.services.db.pool.query(
      `INSERT INTO webhook_queues (tenant_id, endpoint_id) VALUES ($1, 'ep_gone')`,
      [server.quickstart.apiKey],
    );
    const signal = AbortSignal.timeout(10_000);
    const woken = once(worker.app.services.wakeUps, 'deliveries', { signal });
    await server.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await woken;
  });
});
