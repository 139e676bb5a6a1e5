import { describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { committedDocument, DocumentSchemas } from '../../support/api-document.ts';
import { eventually } from '../../support/eventually.ts';
import { NOTIFICATION } from '../../support/notifications.ts';
import { startTestServer } from '../../support/server.ts';
import { addressOf, readUntil, subscribe } from '../../support/subscriptions.ts';

const schemas = new DocumentSchemas(committedDocument());

const place = { organizationId: 'acme', documentId: 'plan' };
const server = await startTestServer();
await annotationsOf(server).add(place, [{ annotationId: 'first' }]);

it('subscriptions in the document match the inputs and events of the server', async () => {
  const { url, keyHeaders } = server;
  const inbox = { organizationId: 'acme', userId: 'grace' };
  const [comments, notifications, presence] = [
    await subscribe(url, keyHeaders, 'comments', place),
    await subscribe(url, keyHeaders, 'notifications', inbox),
    await subscribe(url, keyHeaders, 'presence', place),
  ];
  const annotations = annotationsOf(server);
  const target = { ...place, annotationIds: ['second'] };
  await annotations.add(place, [{ annotationId: 'second' }]);
  await annotations.ok('update', { ...target, updatedData: { status: { id: 'RESOLVED' } } });
  const reaction = { ...place, annotationId: 'second', commentId: 1, icon: '👍', userId: 'ada' };
  await annotations.ok('reactions/add', reaction);
  await annotations.ok('delete', target);
  await server.ok('/v2/notifications/add', { ...NOTIFICATION, ...place });
  await server.ok('/v2/presence/update', { ...place, users: [{ userId: 'ada' }] });
  for (const [name, { items }, input, least] of [
    ['comments.changes', comments, place, 4],
    ['notifications.changes', notifications, inbox, 1],
    ['presence.changes', presence, place, 2],
  ] as const) {
    await eventually(() => expect(items.length).toBeGreaterThanOrEqual(least));
    for (const { data } of items) {
      expect(schemas.problemsAt(['x-subscriptions', name, 'item'], data), name).toEqual([]);
    }
    expect(schemas.problemsAt(['x-subscriptions', name, 'input'], {})).not.toEqual([]);
    expect(schemas.problemsAt(['x-subscriptions', name, 'input'], input)).toEqual([]);
  }
});

describe('subscriptions over HTTP', () => {
  it('are server-sent events that proxies neither buffer nor cache', async () => {
    const response = await fetch(server.url + addressOf('comments.changes', place), {
      headers: { ...server.keyHeaders, origin: 'https://app.example.com' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(await readUntil(response, /connected/)).toContain('event: connected');
  });

  it('accept credentials in the address, since browsers cannot send headers', async () => {
    const bearer = await userHeaders(server, 'ada', []);
    const token = bearer.authorization?.replace('Bearer ', '');
    const { apiKey, authToken } = server.quickstart;
    for (const params of [{ token }, bearer, { apiKey, authToken }]) {
      const query = `&connectionParams=${encodeURIComponent(JSON.stringify(params))}`;
      const response = await fetch(server.url + addressOf('presence.changes', place) + query);
      expect(await readUntil(response, /presence\./)).toContain('"type":"presence.state"');
    }
    const wrong = `&connectionParams=${encodeURIComponent(JSON.stringify({ token: 'wrong' }))}`;
    const refused = await fetch(server.url + addressOf('presence.changes', place) + wrong);
    expect(await readUntil(refused, /PERMISSION/)).toContain('event: serialized-error');
  });

  it('accept credentials in the address on no other path', async () => {
    const { apiKey, authToken } = server.quickstart;
    const query = `&connectionParams=${encodeURIComponent(JSON.stringify({ apiKey, authToken }))}`;
    const response = await fetch(server.url + addressOf('events.get', {}) + query);
    expect(response.status).toBe(403);
  });

  it('cannot be called by POST, in a batch, or as an operation', async () => {
    const url = `${server.url}/trpc/comments.changes`;
    const posted = await fetch(url, {
      method: 'POST',
      headers: { ...server.keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ json: place }),
    });
    expect(await posted.text()).toContain('"httpStatus":405');
    const inputs = encodeURIComponent(JSON.stringify({ 0: { json: place } }));
    const batch = await fetch(`${url}?batch=1&input=${inputs}`, { headers: server.keyHeaders });
    expect(await batch.text()).toContain('INVALID_ARGUMENT');
    const operation = await server.call('/comments.changes', place);
    expect(operation.status).toBe(404);
  });

  it.each(['{', '5', '["a"]', '{"token":5}'])('refuse connectionParams of %s', async (params) => {
    const query = `&connectionParams=${encodeURIComponent(params)}`;
    const response = await fetch(server.url + addressOf('presence.changes', place) + query);
    expect(response.status).toBe(400);
    // A short text may occur in the message by chance.
    if (params.length > 3) expect(await response.text()).not.toContain(params);
  });
});
