import { expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'body', type: 'text' };
const REDIS_URL = inject('redisUrl') ?? '';
/** Three servers, each with one of the roles. */
const { server: api, call, open, contentOf } = await planServer({ REDIS_URL, ROLES: 'api' });
const environment = { REDIS_URL, DATABASE_URL: api.databaseUrl };
const realtime = await startTestServer({ ...environment, ROLES: 'realtime' });
const worker = await startTestServer({ ...environment, ROLES: 'worker' });

const statusOf = async (server: TestServer, path: string) =>
  (await fetch(server.url + path)).status;

const upgradeAt = (server: TestServer): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/collaboration`);
    socket.on('open', () => resolve('open'));
    socket.on('error', () => resolve('refused'));
    socket.on('open', () => socket.terminate());
  });

it('every role reports its health', async () => {
  for (const server of [api, realtime, worker]) {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect(await statusOf(server, path)).toBe(200);
    }
  }
});

it('only the API serves operations, and only realtime accepts sockets', async () => {
  expect((await api.call('/v2/crdt/get', editor)).status).toBe(200);
  for (const server of [realtime, worker]) {
    const { status, body } = await server.call('/v2/crdt/get', editor, api.keyHeaders);
    expect(status).toBe(404);
    expect(body.error.status).toBe('NOT_FOUND');
  }
  expect(await upgradeAt(realtime)).toBe('open');
  for (const server of [api, worker]) expect(await upgradeAt(server)).toBe('refused');
});

it('crdt/update at the API reaches editors at realtime, and their edits can be read there', async () => {
  const one = await open('body', { at: realtime });
  one.text.insert(0, 'typed');
  await one.sent();
  await call('update', { editorId: 'body', type: 'text', data: 'typed, and changed' });
  await eventually(() => expect(one.text.toString()).toBe('typed, and changed'));
  one.text.insert(0, 're');
  await one.sent();
  expect(await contentOf('body')).toBe('retyped, and changed');
});
