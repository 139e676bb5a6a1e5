import { beforeAll, expect, it } from 'vitest';
import { signUserToken } from '../../src/api/credentials/user-tokens.ts';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };

let server: TestServer;
let app: CollaborationClient;
beforeAll(async () => {
  server = await startTestServer();
  const { url } = server;
  const { apiKey, authToken } = server.quickstart;
  app = createServerClient({ url, apiKey, authToken });
  await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  await app.documents.add({
    organizationId: 'acme',
    documents: [{ documentId: 'plan' }, { documentId: 'secret', accessType: 'restricted' }],
  });
});

const tokenOf = (userId: string) =>
  app.auth.generateToken({
    userId,
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  });

const comment = (commentText: string) =>
  app.commentAnnotations.add({
    ...place,
    commentAnnotations: [{ commentData: [{ commentText, from: { userId: 'ada' } }] }],
  });

/** Keeps the sockets that a client opens, to cut them. */
function watchSockets() {
  const sockets: WebSocket[] = [];
  const received: string[] = [];
  class WatchedSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      sockets.push(this);
      this.addEventListener('message', ({ data }) => received.push(String(data)));
    }
  }
  return { sockets, received, WatchedSocket };
}

/** Collects what a subscription gives, until the test ends it. */
function collect(changes: AsyncIterable<{ id: string; data: { type: string } }>) {
  const types: string[] = [];
  const end = (async () => {
    for await (const { data } of changes) types.push(data.type);
  })();
  return { types, end };
}

it('go over one socket, and survive its loss without a missing or repeated event', async () => {
  const { sockets, WatchedSocket } = watchSockets();
  const { token } = await tokenOf('ada');
  const client = createClient({ url: server.url, token, WebSocket: WatchedSocket });
  const stop = new AbortController();
  const comments = collect(client.comments.changes(place, { signal: stop.signal }));
  const people = collect(client.presence.changes(place, { signal: stop.signal }));
  await eventually(() => expect(people.types).toHaveLength(1));
  await comment('one');
  await eventually(() => expect(comments.types).toHaveLength(1));
  expect(sockets).toHaveLength(1);

  sockets[0]?.close();
  await comment('two');
  await comment('three');
  await eventually(() => expect(comments.types).toHaveLength(3));
  expect(sockets).toHaveLength(2);

  stop.abort();
  await Promise.all([comments.end, people.end]);
  await eventually(() => expect(client.connection.status).toBe('idle'));
});

it('are open to API keys', async () => {
  const { quickstart } = server;
  const client = createServerClient(quickstart);
  const { types, end } = collect(client.presence.changes(place));
  await eventually(() => expect(types).toHaveLength(1));
  client.close();
  await end;
});

it('miss nothing when the socket is lost before the first event', async () => {
  const { sockets, received, WatchedSocket } = watchSockets();
  const { token } = await tokenOf('ada');
  const client = createClient({ url: server.url, token, WebSocket: WatchedSocket });
  const { types, end } = collect(client.comments.changes(place));
  await eventually(() => expect(received.join()).toContain('started'));
  sockets[0]?.close();
  await comment('in between');
  await eventually(() => expect(types).toHaveLength(1));
  client.close();
  await end;
});

it('go on with a new token when the old one ends', async () => {
  const { secrets, clock } = server.app.services;
  const lifeMs = 48 * 60 * 60_000;
  const almostOver = { now: () => clock.now() - lifeMs + 2_500 };
  const { token: fresh } = await tokenOf('bea');
  const ending = await signUserToken(secrets, almostOver, {
    tenantId: server.quickstart.apiKey,
    userId: 'bea',
    era: '0.',
  });
  const tokens = [ending, fresh];
  const client = createClient({ url: server.url, token: () => tokens.shift() ?? fresh });
  const { types, end } = collect(client.comments.changes(place));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await eventually(() => expect(tokens).toEqual([]));
  await comment('after');
  await eventually(() => expect(types).toHaveLength(1));
  client.close();
  await end;
});

it('tell the caller when she has no access', async () => {
  const { token } = await app.auth.generateToken({ userId: 'stranger' });
  const client = createClient({ url: server.url, token });
  const { end } = collect(client.comments.changes({ ...place, documentId: 'secret' }));
  await expect(end).rejects.toMatchObject({ status: 'PERMISSION_DENIED' });
});
