import { beforeEach, describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { committedDocument, DocumentSchemas } from '../../support/api-document.ts';
import { organize } from '../../support/directory.ts';
import { makePlan, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { NOTIFICATION, notificationsOf } from '../../support/notifications.ts';
import { commentBy, mentioning, notifyingKey } from '../../support/notifying-key.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { addressOf, readUntil, subscribe } from '../../support/subscriptions.ts';

const schemas = new DocumentSchemas(committedDocument());

const place = { organizationId: 'acme', documentId: 'plan' };
const server = await startTestServer();
await annotationsOf(server).add(place, [{ annotationId: 'first' }]);

it('subscriptions in the document match the inputs and events of the server', async () => {
  const { url, keyHeaders } = server;
  const inbox = { organizationId: 'acme', userId: 'grace' };
  const comments = await subscribe(url, keyHeaders, 'comments', place);
  const notifications = await subscribe(url, keyHeaders, 'notifications', inbox);
  const presence = await subscribe(url, keyHeaders, 'presence', place);
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

  const ask = (params: string, address = addressOf('presence.changes', place)) =>
    fetch(`${server.url}${address}&connectionParams=${encodeURIComponent(params)}`);

  it('accept credentials in the address, since browsers cannot send headers, but on no other path', async () => {
    const bearer = await userHeaders(server, 'ada', []);
    const token = bearer.authorization?.replace('Bearer ', '');
    const { apiKey, authToken } = server.quickstart;
    for (const params of [{ token }, bearer, { apiKey, authToken }]) {
      const response = await ask(JSON.stringify(params));
      expect(await readUntil(response, /presence\./)).toContain('"type":"presence.state"');
    }
    const refused = await ask(JSON.stringify({ token: 'wrong' }));
    expect(await readUntil(refused, /PERMISSION/)).toContain('event: serialized-error');
    const call = await ask(JSON.stringify({ apiKey, authToken }), addressOf('events.get', {}));
    expect(call.status).toBe(403);
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
    const response = await ask(params);
    expect(response.status).toBe(400);
    // A short text may occur in the message by chance.
    if (params.length > 3) expect(await response.text()).not.toContain(params);
  });
});

describe('notifications.changes', () => {
  let organizationId: string;
  const notifications = notificationsOf(server);
  const tokenOf = (userId: string) => userHeaders(server, userId, []);
  beforeEach(async () => {
    const documents = ['open', { documentId: 'closed', accessType: 'restricted' }];
    organizationId = await organize(server, fresh('org'), { documents });
  });

  const follow = (input: object, headers: Record<string, string>) =>
    subscribe(server.url, headers, 'notifications', { organizationId, ...input });

  /** Notifies these users, and returns the id of the notification. */
  async function notify(documentId: string, userIds: string[], more: object = {}): Promise<string> {
    const notificationId = fresh('notification');
    const notifyUsers = userIds.map((userId) => ({ userId, name: `The user ${userId}` }));
    const data = { organizationId, documentId, notificationId, notifyUsers, ...more };
    dataOf(await notifications.add(data));
    return notificationId;
  }

  it("streams new notifications of the user's inbox, as the inbox presents them", async () => {
    const [ada, grace] = [fresh('ada'), fresh('grace')];
    const ofAda = await follow({}, await tokenOf(ada));
    const ofGrace = await follow({}, await tokenOf(grace));
    const both = await notify('open', [ada, grace]);
    const own = await notify('open', [grace]);
    await eventually(() => expect(ofGrace.items).toHaveLength(2));
    expect(ofGrace.items.map(({ data }) => data.data.id)).toEqual([both, own]);
    await eventually(() => expect(ofAda.items.map(({ data }) => data.data.id)).toEqual([both]));
    const [item] = ofGrace.items;
    const query = { organizationId, userId: grace, order: 'asc' };
    const [shown] = dataOf(await notifications.get(query, await tokenOf(grace)));
    expect(item?.data).toMatchObject({
      id: item?.id,
      type: 'notification.add',
      metadata: { organizationId, documentId: 'open' },
      data: { ...shown, isRead: false },
    });
    expect(item?.data.data.displayHeadlineMessage).toContain(grace);
  });

  it('streams a notification of an annotation with the annotation, as the inbox presents it', async () => {
    const key = await notifyingKey(server);
    await key.begin([commentBy('ada')]);
    const input = { organizationId: key.place.organizationId, userId: 'grace' };
    const seen = await subscribe(server.url, key.headers, 'notifications', input);
    await key.reply(commentBy('ada', mentioning('grace')));
    await eventually(() => expect(seen.items).toHaveLength(1));
    const [shown] = await key.inbox('grace');
    expect(shown.notificationSourceData).toMatchObject({ annotationId: key.target.annotationId });
    expect(seen.items[0]?.data.data).toEqual(shown);
  });

  it('leaves out notifications that the user may not see on arrival', async () => {
    const ada = fresh('ada');
    const seen = await follow({}, await tokenOf(ada));
    const context = { access: { team: ['red'] } };
    const ids = () => seen.items.map(({ data }) => data.data.id);
    await notify('closed', [ada]);
    await notify('open', [ada], { context });
    const first = await notify('open', [ada]);
    await eventually(() => expect(ids()).toEqual([first]));
    const resource = { type: 'document', id: 'closed', organizationId, context };
    await notifications.change('add', ada, resource);
    const visible = await notify('closed', [ada], { context });
    await eventually(() => expect(ids()).toEqual([first, visible]));
    await notifications.change('remove', ada, resource);
    await notify('closed', [ada]);
    const last = await notify('open', [ada]);
    await eventually(() => expect(ids()).toEqual([first, visible, last]));
  });

  it('streams the inbox that an API key names, and resumes after the last event', async () => {
    const ada = fresh('ada');
    const seen = await follow({ userId: ada }, server.keyHeaders);
    const id = await notify('open', [ada]);
    await eventually(() => expect(seen.items.map(({ data }) => data.data.id)).toEqual([id]));
    seen.close();
    const missed = [await notify('open', [ada]), await notify('open', [ada])];
    const lastEventId = seen.items[0]?.id;
    const again = await follow({ userId: ada, lastEventId }, server.keyHeaders);
    await eventually(() => expect(again.items.map(({ data }) => data.data.id)).toEqual(missed));
  });

  it('is refused to users who name another user, without revealing whether an organization exists', async () => {
    const headers = await tokenOf(fresh('ada'));
    const strangers = await follow({}, headers);
    const nowhere = await follow({ organizationId: fresh('nowhere') }, headers);
    expect([strangers.failure, nowhere.failure]).toEqual([undefined, undefined]);
    const named = await follow({ userId: 'grace' }, headers);
    expect(named.failure?.data?.status).toBe('PERMISSION_DENIED');
  });

  it('is refused to an API key that names nobody, or an organization that it does not have', async () => {
    const { failure } = await follow({}, server.keyHeaders);
    expect(failure?.data?.status).toBe('INVALID_ARGUMENT');
    const unknown = { reason: 'organization_not_found' };
    const nowhere = await follow({ userId: 'ada', organizationId: 'none' }, server.keyHeaders);
    expect(nowhere.failure?.data?.details).toEqual(unknown);
    const stranger = await follow({ userId: 'grace' }, await createTenant(server));
    expect(stranger.failure?.data?.details).toEqual(unknown);
  });
});

describe('presence.changes', () => {
  const newPlace = () => ({ organizationId: fresh('org'), documentId: 'plan' });
  const follow = (input: object, headers = server.keyHeaders) =>
    subscribe(server.url, headers, 'presence', input);

  const update = (where: object, ...users: object[]) =>
    server.ok('/v2/presence/update', { ...where, users });

  it('begins with the current state, then publishes users who come, change and leave', async () => {
    const here = newPlace();
    await update(here, { userId: 'ada', name: 'Ada' });
    const seen = await follow(here);
    await eventually(() => expect(seen.items).toHaveLength(1));
    await update(here, { userId: 'linus' });
    await update(here, { userId: 'linus' });
    await update(here, { userId: 'ada', status: 'away' });
    await update(newPlace(), { userId: 'elsewhere' });
    await server.ok('/v2/presence/delete', { ...here, userIds: ['linus'] });
    await eventually(() => expect(seen.items).toHaveLength(4));
    expect(seen.types()).toEqual(['presence.state', ...Array(3).fill('presence.update')]);
    const ada = { userId: 'ada', name: 'Ada' };
    expect(seen.items.map(({ data }) => data.data)).toEqual([
      [{ ...ada, status: 'online' }],
      { userId: 'linus', status: 'online' },
      { ...ada, status: 'away', previous: { ...ada, status: 'online' } },
      { userId: 'linus', status: 'offline', previous: { userId: 'linus', status: 'online' } },
    ]);
  });

  it('begins with the state at each connection', async () => {
    const here = newPlace();
    await update(here, { userId: 'ada' });
    const first = await follow(here);
    await eventually(() => expect(first.items).toHaveLength(1));
    const again = await follow({ ...here, lastEventId: first.items[0]?.id });
    await eventually(() => expect(again.types()).toEqual(['presence.state']));
  });

  it('does not show users the stored name of somebody without access to the document', async () => {
    const headers = await createTenant(server);
    await makePlan(server, headers);
    const users = [{ userId: 'stranger', name: 'Sam' }];
    const call = (path: string, data: object) => server.ok(path, data, headers);
    await call('/v1/users/add', { organizationId: 'elsewhere', users });
    const here = { organizationId: 'acme', documentId: 'plan' };
    await call('/v2/presence/update', { ...here, users: [{ userId: 'stranger' }] });
    const token = await userToken(server, 'ada', { accessRole: 'viewer' }, headers);
    const seenByUser = await follow(here, { authorization: `Bearer ${token}` });
    const seenByKey = await follow(here, headers);
    await eventually(() => expect(seenByUser.items).toHaveLength(1));
    await eventually(() => expect(seenByKey.items).toHaveLength(1));
    const away = [{ userId: 'stranger', status: 'away' }];
    await call('/v2/presence/update', { ...here, users: away });
    await eventually(() => expect(seenByUser.items).toHaveLength(2));
    await eventually(() => expect(seenByKey.items).toHaveLength(2));
    expect(JSON.stringify(seenByUser.items)).not.toContain('Sam');
    expect(seenByKey.items[1]?.data.data).toMatchObject({ name: 'Sam', previous: { name: 'Sam' } });
  });
});
