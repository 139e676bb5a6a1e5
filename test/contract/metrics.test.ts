import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

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

describe('metrics without a token', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ HOST: '0.0.0.0', TRUST_PROXY: 'true' });
  });

  it('can be read from the same machine', async () => {
    const answer = await ask(server.url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('http_request_duration_seconds');
  });

  it.each([
    [{ 'x-forwarded-for': '198.51.100.7' }],
    [{ 'x-forwarded-for': '127.0.0.1' }],
    [{ forwarded: 'for=127.0.0.1' }],
    [{ 'x-real-ip': '127.0.0.1' }],
    [{ via: '1.1 proxy' }],
  ])('cannot be read through a proxy on the same machine: %o', async (headers) => {
    const answer = await ask(server.url, headers);
    expect(answer.status).toBe(403);
    expect((await answer.json()).error).toMatchObject({ status: 'PERMISSION_DENIED' });
    expect(await statusOf(server.url, { ...headers, ...server.adminHeaders })).toBe(200);
  });

  it.runIf(outside)('cannot be read from elsewhere without the admin token', async () => {
    const url = `http://${outside}:${new URL(server.url).port}`;
    expect(await statusOf(url)).toBe(403);
    expect(await statusOf(url, wrong)).toBe(403);
    expect(await statusOf(url, server.adminHeaders)).toBe(200);
  });
});

describe('metrics with a token and their own port', () => {
  let server: TestServer;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    const limit = { FAILED_CREDENTIALS_PER_MINUTE: '60' };
    server = await startTestServer({ METRICS_TOKEN: TOKEN, METRICS_PORT: String(port), ...limit });
  });

  it('are served only there, and only with the token', async () => {
    const url = `http://127.0.0.1:${port}`;
    expect(await statusOf(server.url, bearer)).toBe(404);
    expect((await fetch(`${url}/healthz`)).status).toBe(404);
    expect(await statusOf(url)).toBe(403);
    expect(await statusOf(url, bearer)).toBe(200);
    expect(await statusOf(url, server.adminHeaders)).toBe(200);
    for (let n = 0; n < 60; n++) expect(await statusOf(url, wrong)).toBe(403);
    expect(await statusOf(url, wrong)).toBe(429);
    expect(await statusOf(url, bearer)).toBe(200);
  });

  it('name their setting if they cannot listen there', async () => {
    const taken = startTestServer({ METRICS_PORT: String(port), DATABASE_URL: server.databaseUrl });
    await expect(taken).rejects.toThrow(/METRICS_PORT/);
  });
});
