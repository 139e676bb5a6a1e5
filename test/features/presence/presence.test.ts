import { beforeEach, describe, expect, it } from 'vitest';
import { recordTraffic, registerProcess } from '../../../src/features/presence/connections.ts';
import {
  deleteExpiredPresence,
  publishTimeouts,
} from '../../../src/features/presence/publish-timeouts.ts';
import { dataOf, fresh, type Headers } from '../../support/answers.ts';
import { directoryOf, organize } from '../../support/directory.ts';
import { userToken } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

let place: { organizationId: string; documentId: string };
const server = testServer({ ROLES: 'api,realtime' }, { clock });
beforeEach(() => {
  place = { organizationId: fresh('org'), documentId: 'plan' };
});

const ask = (operation: string, data: object, headers?: Headers) =>
  server.call(`/v2/presence/${operation}`, { ...place, ...data }, headers);
const update = async (...users: object[]) => dataOf(await ask('update', { users }));
const get = async (data: object = {}, headers?: Headers) => dataOf(await ask('get', data, headers));
const published = async () =>
  (await eventsOf(server, place.organizationId, ['presence.update'])).map(({ data }) => data);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A user token for a user with a role on the document, which it creates. */
async function visitor(userId: string): Promise<Headers> {
  const documents = [{ documentId: place.documentId, accessType: 'restricted' }];
  await organize(server, place.organizationId, { documents });
  const users = [{ userId, accessRole: 'viewer' }];
  await server.ok('/v1/users/add', { ...place, users });
  return bearer(await userToken(server, userId));
}

describe('presence/update', () => {
  it('makes a user online who gives no status, keeps fields that are left out, and applies the last entry', async () => {
    expect(await update({ userId: 'ada' })).toEqual({ success: true });
    expect(await get()).toEqual([{ userId: 'ada', status: 'online' }]);
    await update({ userId: 'ada', name: 'Ada', email: 'ada@example.com', status: 'away' });
    await update({ userId: 'ada', status: 'busy' }, { userId: 'ada', status: 'in a call' });
    const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com', status: 'in a call' };
    expect(await get()).toEqual([ada]);
    // A second entry without a status does not make the user online.
    await update({ userId: 'ada', status: 'away' }, { userId: 'ada', name: 'A. Lovelace' });
    expect(await get()).toEqual([{ ...ada, name: 'A. Lovelace', status: 'away' }]);
  });

  it('keeps a user online for 60 s, and then shows the user as offline until 10 minutes have passed', async () => {
    await update({ userId: 'ada', name: 'Ada', status: 'away' });
    clock.time += 59_999;
    expect(await get()).toMatchObject([{ status: 'away' }]);
    clock.time += 1;
    expect(await get()).toMatchObject([{ status: 'offline' }]);
    await update({ userId: 'ada' });
    expect(await get()).toMatchObject([{ name: 'Ada', status: 'online' }]);
    clock.time += 10 * 60_000 - 1;
    expect(await get()).toMatchObject([{ status: 'offline' }]);
    clock.time += 1;
    expect(await get()).toEqual([]);
    await update({ userId: 'ada' });
    expect(await get()).toEqual([{ userId: 'ada', status: 'online' }]);
  });

  it('publishes a change, and no event when presence was only renewed', async () => {
    for (const _ of [1, 2]) await update({ userId: 'ada', name: 'Ada' }, { userId: 'grace' });
    await update({ userId: 'ada', status: 'away' }, { userId: 'grace' });
    clock.time += 60_000;
    await update({ userId: 'ada', status: 'away' });
    const ada = { userId: 'ada', name: 'Ada' };
    expect(await published()).toEqual([
      { ...ada, status: 'online' },
      { userId: 'grace', status: 'online' },
      { ...ada, status: 'away', previous: { ...ada, status: 'online' } },
      { ...ada, status: 'away', previous: { ...ada, status: 'offline' } },
    ]);
  });
});

it('presence that several callers renew and change at the same time is published once for each change, in the order of the changes', async () => {
  const statuses = Array.from({ length: 40 }, (_, n) => `s-${Math.floor(n / 4) % 2}`);
  await Promise.all(
    statuses.map((status) => update({ userId: 'ada', status }, { userId: 'grace', status })),
  );
  for (const userId of ['ada', 'grace']) {
    const [present] = await get({ userIds: [userId] });
    const events = (await published()).filter((event) => event.userId === userId);
    expect(events.at(-1)).toMatchObject(present);
    for (const [n, { status, previous }] of events.entries()) {
      expect(previous?.status).toBe(events[n - 1]?.status);
      expect(status).not.toBe(previous?.status);
    }
  }
});

it('an event of presence names the document, its folder, and the user in its channels', async () => {
  const { organizationId, documentId } = place;
  const documents = [{ documentId, folderId: 'drafts' }];
  await organize(server, organizationId, { folders: ['drafts'], documents });
  const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com' };
  await update(ada);
  const event = (await directoryOf(server).eventsOf(organizationId)).at(-1);
  const channels = [`organization:${organizationId}`, 'folder:drafts', `document:${documentId}`];
  expect(event).toMatchObject({
    ...{ ...place, channels: [...channels, 'user:ada'] },
    data: { ...ada, status: 'online' },
  });
});

it('presence is added, found by id in the order of ids, and deleted, in one document', async () => {
  await ask('add', { users: [{ userId: 'b' }, { userId: 'a' }, { userId: 'c' }] });
  expect((await get()).map(({ userId }: { userId: string }) => userId)).toEqual(['a', 'b', 'c']);
  expect(await get({ userIds: ['c', 'none'] })).toEqual([{ userId: 'c', status: 'online' }]);
  expect(await get({ documentId: 'other' })).toEqual([]);
  await ask('delete', { userIds: ['a', 'none', 'a'] });
  expect(await get({ userIds: [] })).toHaveLength(2);
  expect((await published()).at(-1)).toEqual({
    ...{ userId: 'a', status: 'offline' },
    previous: { userId: 'a', status: 'online' },
  });
});

it('a removed member is absent at once, which is published within seconds', async () => {
  await visitor('ada');
  await update({ userId: 'ada', name: 'Ada' }, { userId: 'grace' });
  const removed = { organizationId: place.organizationId, userIds: ['ada'] };
  await server.ok('/v2/users/delete', removed);
  const ada = { userId: 'ada', name: 'Ada', status: 'offline' };
  expect(await get()).toEqual([ada, { userId: 'grace', status: 'online' }]);
  await publishTimeouts(server.app.services);
  expect((await published()).at(-1)).toEqual({ ...ada, previous: { ...ada, status: 'online' } });
});

it('a user token is not shown the stored name of a user without access to the document', async () => {
  const ada = await visitor('ada');
  const users = [{ userId: 'stranger', name: 'Sam', email: 'sam@example.com' }];
  await server.ok('/v1/users/add', { organizationId: fresh('org'), users });
  const colleagues = [{ userId: 'grace', name: 'Grace', accessRole: 'viewer' }];
  await server.ok('/v1/users/add', { ...place, users: colleagues });
  await update({ userId: 'grace' }, { userId: 'stranger' });
  const [grace, stranger] = [{ userId: 'grace', name: 'Grace' }, { userId: 'stranger' }];
  expect(await get({}, ada)).toMatchObject([grace, { ...stranger, status: 'online' }]);
  expect((await get({}, ada))[1]).not.toHaveProperty('name');
  expect((await get())[1]).toMatchObject({ name: 'Sam' });
  await update({ userId: 'stranger', name: 'A guest' });
  expect((await get({}, ada))[1]).toMatchObject({ name: 'A guest' });
});

it('the periodic task deletes expired entries, and nothing else', async () => {
  const { db } = server.app.services;
  await update({ userId: 'ada' });
  clock.time += 9 * 60_000;
  await update({ userId: 'grace' });
  clock.time += 60_000;
  await deleteExpiredPresence({ db, clock });
  const { rows } = await db.pool.query(
    'SELECT user_id FROM presence WHERE tenant_id = $1 AND organization_id = $2',
    [server.quickstart.apiKey, place.organizationId],
  );
  expect(rows).toEqual([{ user_id: 'grace' }]);
});

describe('a timeout', () => {
  const timeOut = () => publishTimeouts(server.app.services);

  it('is published once, whatever the number of processes, and never for users who were renewed, were offline already, or have expired', async () => {
    const ada = { userId: 'ada', name: 'Ada' };
    const hopper = { userId: 'hopper', status: 'offline' };
    await update({ ...ada, status: 'away' }, { userId: 'grace' }, hopper);
    clock.time += 30_000;
    await update({ userId: 'grace' });
    clock.time += 30_000;
    await Promise.all([timeOut(), timeOut(), timeOut()]);
    clock.time += 10 * 60_000;
    await timeOut();
    expect((await published()).slice(3)).toEqual([
      { ...ada, status: 'offline', previous: { ...ada, status: 'away' } },
    ]);
  });

  it('of a connection whose process died is published with the name of the user, and the process deleted', async () => {
    const { db } = server.app.services;
    const { organizationId } = place;
    const users = [{ userId: 'lovelace', name: 'Augusta' }];
    await server.ok('/v1/users/add', { organizationId, users });
    const at = { ...place, tenantId: server.quickstart.apiKey };
    await registerProcess(db, 'dead', clock.time);
    await recordTraffic(server.app.services, 'dead', { place: at, joined: ['lovelace'], left: [] });
    clock.time += 60_000;
    await registerProcess(db, 'not dead', clock.time);
    await timeOut();
    const lovelace = { userId: 'lovelace', name: 'Augusta' };
    const online = { ...lovelace, status: 'online' };
    const offline = { ...lovelace, status: 'offline', previous: online };
    expect(await published()).toEqual([online, offline]);
    await deleteExpiredPresence({ db, clock });
    const { rows } = await db.pool.query(`SELECT id FROM presence_processes WHERE id LIKE '%dead'`);
    expect(rows).toEqual([{ id: 'not dead' }]);
  });
});
