import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { connect } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { RawClient } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, testServer } from '../support/server.ts';

const TOKEN = 'a-token-for-metrics';
const bearer = { authorization: `Bearer ${TOKEN}` };
const wrong = { authorization: 'Bearer a-wrong-secret-token' };

const ask = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/metrics`, { headers });
const statusOf = async (url: string, headers: Record<string, string> = {}) =>
  (await ask(url, headers)).status;

/** An address of this machine other than loopback, if there is one. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === 'IPv4' && !found.internal)?.address;

describe('metrics', () => {
  const server = testServer();

  it('show connections, queues, readers, and what the process is', async () => {
    const metrics = await scrape(server.url);
    expect(metrics.get('database_connections{pool="main",state="in-use"}')).toBeLessThanOrEqual(6);
    expect(metrics.get('database_connections_waiting{pool="main"}')).toBe(0);
    for (const queue of ['outbox', 'reader-webhooks', 'jobs', 'failed-jobs', 'mails']) {
      expect(metrics.get(`backlog_waiting{queue="${queue}"}`), queue).toBeGreaterThanOrEqual(0);
      expect(metrics.get(`backlog_oldest_seconds{queue="${queue}"}`), queue).toBeLessThan(60);
    }
    expect([...metrics.keys()].join()).toMatch(
      /build_info\{version="[\d.]+",commit="[\da-f]{40}",roles="api,realtime,worker",node="v[\d.]+"\}/,
    );
  });

  it('name queues, loops, pools and states in lower case with hyphens', async () => {
    const series = [...(await scrape(server.url)).keys()].join();
    const values = [...series.matchAll(/\b(?:queue|loop|pool|state)="(.*?)"/g)].map(
      ([, value]) => value,
    );
    expect(values).toContain('event-sequencer');
    expect(values.filter((value) => !/^[a-z]+(-[a-z]+)*$/.test(value ?? ''))).toEqual([]);
  });

  it('count failures of operations and requests that reach none', async () => {
    const before = await scrape(server.url);
    const wrongKey = { ...server.keyHeaders, 'x-svc-auth-token': 'wrong' };
    const { body } = await server.call('/v2/users/get', {}, wrongKey);
    await server.call('/v1/nothing/here', {});
    const after = await scrape(server.url);
    const risen = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(risen(`operation_failures_total{failure="${body.error.status}"}`)).toBe(1);
    expect(risen('http_requests_rejected_total{status="404"}')).toBe(1);
  });

  it('count open sockets, and refusals by reason', async () => {
    const editor = connect({ url: server.url, name: 'acme/plan/body', token: 'wrong' });
    await eventually(async () => {
      const metrics = await scrape(server.url);
      expect(metrics.get('open_sockets{path="/collaboration"}')).toBe(1);
      expect(metrics.get(`socket_refusals_total{reason="${editor.refusals[0]}"}`)).toBe(1);
    });
  });

  it('show deliveries that wait, and since when', async () => {
    await server.app.services.db.pool.query(
      `WITH queue AS (
         INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at) VALUES ('t', 'e', '9999-01-01')
       ) INSERT INTO webhook_deliveries
           (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
         VALUES ('t', 'e', now() - interval '1 hour', 1, 'x', 'comment.add', '9999-01-01')`,
    );
    const metrics = await scrape(server.url);
    const oldest = metrics.get('backlog_oldest_seconds{queue="pending-deliveries"}');
    expect(oldest).toBeGreaterThanOrEqual(3_600);
    expect(oldest).toBeLessThan(3_700);
    expect(metrics.get('backlog_waiting{queue="due-deliveries"}')).toBe(0);
  });
});

describe('metrics without a token', () => {
  const server = testServer({ HOST: '::', TRUST_PROXY: 'true' });
  const at = (host: string) => `http://${host}:${new URL(server.url).port}`;

  it('can be read from the same machine, over IPv4 and IPv6', async () => {
    const answer = await ask(server.url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('http_request_duration_seconds');
    expect(await statusOf(at('127.0.0.1'))).toBe(200);
  });

  it.each([
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
    { origin: 'https://evil.example' },
  ])('cannot be read by a page of another site: %o', async (headers) => {
    const sent = Object.entries({ host: '127.0.0.1', connection: 'close', ...headers });
    const client = new RawClient(at('127.0.0.1'));
    const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    await client.send(`GET /metrics HTTP/1.1\r\n${lines}\r\n`);
    expect((await client.answer()).status).toBe(403);
  });

  it.each<Record<string, string>>([
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { via: '1.1 proxy' },
  ])('cannot be read through a proxy on the same machine: %o', async (headers) => {
    const answer = await ask(server.url, headers);
    expect(answer.status).toBe(403);
    expect((await answer.json()).error).toMatchObject({ status: 'PERMISSION_DENIED' });
    expect(await statusOf(server.url, { ...headers, ...server.adminHeaders })).toBe(200);
  });

  it.runIf(outside)('cannot be read from elsewhere without the admin token', async () => {
    const url = at(`${outside}`);
    expect(await statusOf(url)).toBe(403);
    expect(await statusOf(url, wrong)).toBe(403);
    expect(await statusOf(url, server.adminHeaders)).toBe(200);
  });
});

it('metrics with a token and their own port are served only there, and only with the token', async () => {
  const METRICS_PORT = String(await freePort());
  const limit = { FAILED_CREDENTIALS_PER_MINUTE: '6' };
  const server = await startTestServer({ METRICS_TOKEN: TOKEN, METRICS_PORT, ...limit });
  const url = `http://127.0.0.1:${METRICS_PORT}`;
  expect(await statusOf(server.url, bearer)).toBe(404);
  expect((await fetch(`${url}/healthz`)).status).toBe(404);
  expect(await statusOf(url)).toBe(403);
  expect(await statusOf(url, bearer)).toBe(200);
  expect(await statusOf(url, server.adminHeaders)).toBe(200);
  for (let n = 0; n < 6; n++) expect(await statusOf(url, wrong)).toBe(403);
  expect(await statusOf(url, wrong)).toBe(429);
  expect(await statusOf(url, bearer)).toBe(200);
  // Another process cannot listen there, and names the setting.
  const taken = startTestServer({ METRICS_PORT, DATABASE_URL: server.databaseUrl });
  await expect(taken).rejects.toThrow(/METRICS_PORT/);
});
