import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { sql } from '../../src/platform/database/database.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const server = await startTestServer({}, { clock });
const app = createServerClient(server.quickstart);
const secret = { documentId: 'secret', accessType: 'restricted' };
await organize(server, 'acme', { documents: ['plan', secret] });

const tokenOf = (userId: string) =>
  app.auth.generateToken({
    userId,
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  });

const comment = (commentText: string, at = place) =>
  app.commentAnnotations.add({
    ...at,
    commentAnnotations: [{ commentData: [{ commentText, from: { userId: 'ada' } }] }],
  });

/** Keeps the sockets that a client opens, to cut them. */
function watchSockets() {
  const sockets: WebSocket[] = [];
  class WatchedSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      sockets.push(this);
    }
  }
  return { sockets, WatchedSocket };
}

/** Collects what a subscription gives, until the test ends it. */
function collect(changes: AsyncIterable<{ id: string; data: { type: string } }>) {
  const types: string[] = [];
  const end = (async () => {
    for await (const { data } of changes) types.push(data.type);
  })();
  return { types, end };
}

/** A promise for the start of a subscription, which only gives what happens afterwards. */
function startOf() {
  const { promise: started, resolve: onStart } = Promise.withResolvers<void>();
  return { started, onStart };
}

it('subscriptions go over one socket, and survive its loss without a missing or repeated event', async () => {
  const { sockets, WatchedSocket } = watchSockets();
  const { token } = await tokenOf('ada');
  const client = createClient({ url: server.url, token, WebSocket: WatchedSocket });
  const stop = new AbortController();
  const start = startOf();
  const comments = collect(client.comments.changes(place, { signal: stop.signal, ...start }));
  const people = collect(client.presence.changes(place, { signal: stop.signal }));
  await eventually(() => expect(people.types).toHaveLength(1));
  await start.started;
  expect(sockets).toHaveLength(1);
  // Before the first event, and after it.
  for (const lost of [0, 1]) {
    sockets[lost]?.close();
    await comment('one');
    await comment('other');
    await eventually(() => expect(comments.types).toHaveLength(2 * (lost + 1)));
    expect(sockets).toHaveLength(lost + 2);
  }

  stop.abort();
  await Promise.all([comments.end, people.end]);
  await eventually(() => expect(client.connection.status).toBe('idle'));
});

it('subscriptions to 150 documents run 80 at a time over one socket, and the inbox beside them', async () => {
  const documents = Array.from({ length: 150 }, (_, at) => ({ documentId: `many-${at}` }));
  await app.documents.add({ organizationId: 'acme', documents });
  const { sockets, WatchedSocket } = watchSockets();
  const { token } = await tokenOf('ada');
  const client = createClient({ url: server.url, token, WebSocket: WatchedSocket });
  whenTestEnds(() => client.close());
  const started: string[] = [];
  const all = documents.map(({ documentId }) => {
    const each = { organizationId: 'acme', documentId };
    const stop = new AbortController();
    const onStart = () => void started.push(documentId);
    const changes = client.comments.changes(each, { signal: stop.signal, onStart });
    return { stop, ...collect(changes) };
  });
  const onStart = () => void started.push('inbox');
  const inbox = collect(client.notifications.changes({ organizationId: 'acme' }, { onStart }));
  await eventually(() => expect(started).toHaveLength(81));
  expect(started).toContain('inbox');

  // Ends some subscriptions that wait, and some that run.
  for (const each of [...all.slice(80, 140), ...all.slice(0, 10)]) each.stop.abort();
  await eventually(() => expect(started).toHaveLength(91));
  await comment('x', { organizationId: 'acme', documentId: 'many-149' });
  await eventually(() => expect(all.at(-1)?.types).toEqual(['comment_annotation.add']));
  expect(sockets.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN]);
  client.close();
  await Promise.all([inbox.end, ...all.map(({ end }) => end)]);
});

it('calls and subscriptions that have ended leave nothing on the signal that could have stopped them', async () => {
  const { token } = await tokenOf('ada');
  const client = createClient({ url: server.url, token });
  whenTestEnds(() => client.close());
  const { signal } = new AbortController();
  await client.commentAnnotations.get(place, { signal });
  for await (const { data } of client.presence.changes(place, { signal })) {
    expect(data.type).toBe('presence.state');
    break;
  }
  // Never begun, since nobody reads it.
  client.presence.changes(place, { signal });
  await eventually(() => expect(getEventListeners(signal, 'abort')).toEqual([]));
  client.close();
  for await (const _ of client.presence.changes(place, { signal }))
    throw new Error('It is closed.');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('subscriptions are open to API keys', async () => {
  const client = createServerClient(server.quickstart);
  const { types, end } = collect(client.presence.changes(place));
  await eventually(() => expect(types).toHaveLength(1));
  client.close();
  await end;
});

it('a subscription begins anew when the socket is lost while the log has no events', async () => {
  const { sockets, WatchedSocket } = watchSockets();
  const { token } = await tokenOf('ada');
  const { db, events } = server.app.services;
  await events.sequence(server.quickstart.apiKey, db);
  await db.query(sql`DELETE FROM events WHERE tenant_id = ${server.quickstart.apiKey}`);
  const client = createClient({ url: server.url, token, WebSocket: WatchedSocket });
  let starts = 0;
  const { end } = collect(client.comments.changes(place, { onStart: () => starts++ }));
  await eventually(() => expect(starts).toBe(1));
  sockets[0]?.close();
  await eventually(() => expect(starts).toBe(2));
  client.close();
  await end;
});

it('subscriptions outlast one that is refused beside them, and the end of their token, without a missing event', async () => {
  const { token: ending } = await tokenOf('bea');
  const renewed = Promise.withResolvers<string>();
  const token = vi.fn().mockReturnValueOnce(ending).mockReturnValue(renewed.promise);
  const client = createClient({ url: server.url, token });
  const refused = collect(client.comments.changes({ ...place, documentId: 'secret' }));
  await expect(refused.end).rejects.toMatchObject({ status: 'PERMISSION_DENIED' });
  const start = startOf();
  const { types, end } = collect(client.comments.changes(place, start));
  await start.started;
  clock.ahead += 48 * 60 * 60_000;
  await eventually(() => expect(token).toHaveBeenCalledTimes(2));
  await comment('meanwhile');
  renewed.resolve((await tokenOf('bea')).token);
  await eventually(() => expect(types).toHaveLength(1));
  client.close();
  await end;
});

it('subscriptions end with the reason when the app has no other token than the revoked one', async () => {
  const { token } = await tokenOf('eve');
  const client = createClient({ url: server.url, token: async () => token });
  const { end } = collect(client.comments.changes(place));
  const failure = expect(end).rejects.toMatchObject({ reason: 'TOKEN_REVOKED' });
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await app.users.delete({ organizationId: 'acme', userIds: ['eve'] });
  await failure;
  client.close();
});
