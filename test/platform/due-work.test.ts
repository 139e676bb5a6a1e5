import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { DueWork, nowIf } from '../../src/platform/loops/due-work.ts';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const server = await startTestServer({ ROLES: 'api,realtime' });

const { pool } = server.app.services.db;

function startDueWork(): DueWork {
  const dueWork = new DueWork(server.app.services);
  whenFileEnds(() => dueWork.stop());
  dueWork.start();
  return dueWork;
}

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
    const watch = (name: string, hasWork: boolean) =>
      dueWork.watch(
        () => nowIf(hasWork ? sql`true` : sql`false`),
        () => void woken.push(name),
      );
    watch('without work', false);
    watch('gone', true)();
    watch('with work', true);
    await eventually(() => expect(woken.length).toBeGreaterThan(1));
    expect(new Set(woken)).toEqual(new Set(['with work']));
  });
});

describe('work of another process', () => {
  it('is noticed when it has put events into the outbox', async () => {
    const event = [server.quickstart.apiKey, fresh('event')];
    await pool.query(
      `INSERT INTO event_outbox (tenant_id, id, type, channels, data, created_at)
       VALUES ($1, $2, 'document.add', '{}', '{}', now())`,
      event,
    );
    await eventually(async () => {
      const logged = 'SELECT 1 FROM events WHERE tenant_id = $1 AND id = $2';
      const { rows } = await pool.query(logged, event);
      expect(rows.length).toBe(1);
    });
  });

  it('wakes the webhook dispatchers as soon as it is committed', async () => {
    const worker = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'worker' });
    const queue = `INSERT INTO webhook_queues (tenant_id, endpoint_id) VALUES ($1, 'ep_gone')`;
    await pool.query(queue, [server.quickstart.apiKey]);
    const signal = AbortSignal.timeout(10_000);
    const woken = once(worker.app.services.wakeUps, 'deliveries', { signal });
    await server.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await woken;
  });
});
