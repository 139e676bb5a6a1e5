import { expect, it } from 'vitest';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import {
  deleteOldProcessMetrics,
  readProcessHistory,
} from '../../src/platform/processes/process-history.ts';
import { ProcessRecorder } from '../../src/platform/processes/process-recorder.ts';
import { openDatabase } from '../support/database-client.ts';
import { startTestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';

/** The clock of the processes in this file begins here, so that no other process has rows at its times. */
const START = Date.parse('2031-05-01T12:00:00Z');
const MINUTE_MS = 60_000;
const minute = (count: number) => new Date(START + count * MINUTE_MS);
let now = START;
const clock = { now: () => now };

const server = await startTestServer({ ROLES: 'api' });
const { db } = server.app.services;
const { pool } = db;

/** Starts a process that has done nothing yet, and collects the statements that it sends. */
function startProcess() {
  const own = openDatabase(server.databaseUrl);
  const statements: string[] = [];
  watchStatements(own.pool, (text) => void statements.push(text));
  const metrics = createMetrics();
  const parts = { ...server.app.services, db: own, clock, metrics };
  const recorder = new ProcessRecorder({ ...parts, roles: ['api'] });
  const request = (status: number, seconds: number) =>
    metrics.requestSeconds.observe({ operation: 'users.get', status }, seconds);
  return { id: own.id, metrics, recorder, request, statements };
}

const historyOf = (from: number, to: number, bucketSeconds: number) =>
  readProcessHistory(db, { since: minute(from), until: minute(to), bucketSeconds });

it('the work of all processes is added up in spans, with quantiles over all of it', async () => {
  now = START;
  const [one, two] = [startProcess(), startProcess()];
  for (let count = 0; count < 99; count++) one.request(200, 0.004);
  two.request(500, 2);
  one.metrics.liveDocuments.set(3);
  two.metrics.liveDocuments.set(4);
  one.metrics.webhookDeliveries.inc({ outcome: 'delivered' }, 5);
  for (const outcome of ['retried', 'failed']) two.metrics.webhookDeliveries.inc({ outcome });
  now = START + 2 * MINUTE_MS;
  await one.recorder.record();
  await two.recorder.record();
  one.request(200, 0.004);
  one.metrics.webhookDeliveries.inc({ outcome: 'delivered' });
  now = START + 7 * MINUTE_MS;
  await one.recorder.record();

  const { series, total, processes } = await historyOf(0, 10, 300);
  expect(series.map(({ at }) => at)).toEqual([minute(0), minute(5)]);
  expect(series).toMatchObject([
    { requests: 100, errors: 1, liveDocuments: 7, deliveries: 5, failedDeliveries: 2 },
    { requests: 1, errors: 0, liveDocuments: 3, deliveries: 1, failedDeliveries: 0 },
  ]);
  expect(series[0]?.p50Ms).toBeLessThan(5);
  expect(total).toMatchObject({ requests: 101, errors: 1, liveDocuments: 7, deliveries: 6 });
  expect(total.p99Ms).toBeLessThan(5);
  expect(processes.map(({ id }) => id)).toContain(two.id);
  expect(processes.find(({ id }) => id === one.id)).toMatchObject({
    roles: ['api'],
    startedAt: new Date(START),
    seenAt: minute(7),
    stoppedAt: null,
    state: { liveDocuments: 3, redis: null },
  });
});

it('an idle minute is one statement and leaves no row, but shows that the process lives', async () => {
  now = START + 60 * MINUTE_MS;
  const idle = startProcess();
  await idle.recorder.record();
  expect(idle.statements).toHaveLength(1);
  const { series, processes } = await historyOf(59, 61, 60);
  expect(series).toMatchObject([{ requests: 0, p99Ms: null }, { requests: 0 }]);
  expect(processes.map(({ id }) => id)).toContain(idle.id);
});

it('an orderly stop is shown, with the work until then', async () => {
  now = START + 80 * MINUTE_MS;
  const stopped = startProcess();
  stopped.request(200, 0.1);
  stopped.request(429, 0.1);
  await stopped.recorder.stop();
  const { total, processes } = await historyOf(79, 81, 60);
  expect(total).toMatchObject({ requests: 2, errors: 0 });
  expect(processes.find(({ id }) => id === stopped.id)?.stoppedAt).toEqual(minute(80));
});

it('queues in the database are shown with the age of their oldest entry', async () => {
  now = START + 100 * MINUTE_MS;
  await pool.query(`UPDATE event_readers SET sequence = -7 WHERE name = 'webhooks'`);
  await server.call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
  await server.app.services.events.sequence();
  await startProcess().recorder.record();
  const { total } = await historyOf(99, 101, 60);
  expect(total.backlog['reader-webhooks']?.waiting).toBeGreaterThan(7);
  expect(total.backlog['reader-webhooks']?.oldestSeconds).toBeGreaterThan(MINUTE_MS / 1000);
});

it('rows that cannot be written wait for the next minute', async () => {
  now = START + 120 * MINUTE_MS;
  const late = startProcess();
  late.request(200, 0.1);
  late.metrics.webhookDeliveries.inc({ outcome: 'delivered' });
  await pool.query('ALTER TABLE process_metrics RENAME TO hidden');
  await expect(late.recorder.record()).rejects.toThrow();
  await pool.query('ALTER TABLE hidden RENAME TO process_metrics');
  now += MINUTE_MS;
  await late.recorder.record();
  const { total } = await historyOf(119, 122, 60);
  expect(total).toMatchObject({ requests: 1, deliveries: 1 });
});

it('rows of two days ago are deleted', async () => {
  now = START + 50 * 60 * MINUTE_MS;
  await deleteOldProcessMetrics({ db, clock });
  const { total, processes } = await historyOf(0, 61, 60);
  expect(total.requests).toBe(0);
  expect(processes.filter(({ seenAt }) => seenAt < minute(61))).toEqual([]);
});
