import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { eventsDuring } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({ ROLES: 'api' }, { clock: { now: () => NOW * 1000 } });
beforeAll(async () => {
  const organizationId = 'acme';
  const folders = [{ folderId: 'legal' }];
  await ok('/v2/organizations/folders/add', { organizationId, createOrganization: true, folders });
});

const ok = async (path: string, data: object) => dataOf(await server.call(path, data));

const add = (users: object[], place: object = {}) =>
  ok('/v1/users/add', { organizationId: 'acme', ...place, users });
const update = (users: object[], place: object = {}) =>
  ok('/v2/users/update', { organizationId: 'acme', ...place, users });
const userAt = async (userId: string, place: object = {}) =>
  (await ok('/v2/users/get', { organizationId: 'acme', ...place, userIds: [userId] }))[0];

const eventsOf = (work: () => Promise<unknown>) => eventsDuring(server, work);

describe('users/update', () => {
  it('changes the given fields and keeps the others', async () => {
    await add([{ userId: 'ada', name: 'Ada', email: 'ada@example.com', team: 'a', color: 'red' }]);
    expect(await update([{ userId: 'ada', name: 'Countess', team: 'b' }])).toEqual({
      ada: { success: true, id: 'ada', message: 'User updated.' },
    });
    expect(await userAt('ada')).toEqual({
      ...{ userId: 'ada', name: 'Countess', email: 'ada@example.com', initial: 'C' },
      ...{ accessRole: 'editor', team: 'b', color: 'red' },
    });
  });

  it('updates an initial with the name only if it was derived from the name', async () => {
    await add([{ userId: 'own', name: 'Bob', initial: 'XY' }, { userId: 'none' }]);
    await update([
      { userId: 'own', name: 'Carl' },
      { userId: 'none', name: 'Dora' },
    ]);
    expect(await userAt('own')).toMatchObject({ name: 'Carl', initial: 'XY' });
    expect(await userAt('none')).toMatchObject({ name: 'Dora', initial: 'D' });
  });

  it('reports an unknown user as missing, and creates nobody', async () => {
    await add([{ userId: 'known' }]);
    const outcomes = await update([
      { userId: 'unknown', name: 'U' },
      { userId: 'known', name: 'K' },
    ]);
    expect(outcomes).toEqual({
      unknown: { success: false, id: 'unknown', message: 'User does not exist.' },
      known: { success: true, id: 'known', message: 'User updated.' },
    });
    expect(await userAt('unknown')).toBeUndefined();
  });

  it('changes the role on the named level only', async () => {
    const levels = [{}, { folderId: 'legal' }, { documentId: 'plan' }];
    for (const level of levels) await add([{ userId: 'multi', accessRole: 'editor' }], level);
    for (const level of levels) {
      await update([{ userId: 'multi', accessRole: 'viewer' }], level);
      const roles = await Promise.all(
        levels.map(async (at) => (await userAt('multi', at)).accessRole),
      );
      expect(roles).toEqual(levels.map((at) => (at === level ? 'viewer' : 'editor')));
      await update([{ userId: 'multi', accessRole: 'editor' }], level);
    }
  });

  it('refuses the whole entry of a user whose role does not exist there', async () => {
    await add([{ userId: 'guest', name: 'Guest' }], { documentId: 'plan' });
    const outcomes = await update([{ userId: 'guest', name: 'Changed', accessRole: 'viewer' }]);
    expect(outcomes.guest).toEqual({
      success: false,
      id: 'guest',
      message: 'User has no role on this organization that could be changed. Add the user first.',
    });
    expect(await userAt('guest', { documentId: 'plan' })).toMatchObject({ name: 'Guest' });
    expect(await userAt('guest')).toBeUndefined();
  });

  it('keeps the expiry of a role, and treats an expired role as missing', async () => {
    const resource = { type: 'organization', id: 'acme', accessRole: 'editor' };
    const give = (userId: string, expiresAt: number) =>
      ok('/v2/auth/permissions/add', {
        user: { userId },
        permissions: { resources: [{ ...resource, expiresAt }] },
      });
    await give('temporary', NOW + 60);
    await give('ended', NOW);
    const outcomes = await update([
      { userId: 'temporary', accessRole: 'viewer' },
      { userId: 'ended', accessRole: 'viewer' },
    ]);
    expect([outcomes.temporary.success, outcomes.ended.success]).toEqual([true, false]);
    const query = { organizationId: 'acme', userIds: ['temporary'] };
    const { temporary } = await ok('/v2/auth/permissions/get', query);
    expect(temporary.organization.acme).toMatchObject({
      accessRole: 'viewer',
      expiresAt: NOW + 60,
    });
  });

  it('applies the entries of a repeated user in their order, as one change', async () => {
    await add([{ userId: 'twice', name: 'Zero' }]);
    const events = await eventsOf(() =>
      update([
        { userId: 'twice', name: 'One', email: 'one@example.com' },
        { userId: 'twice', name: 'Two' },
      ]),
    );
    expect(events).toHaveLength(1);
    const user = await userAt('twice');
    expect(user).toMatchObject({ name: 'Two', email: 'one@example.com' });
  });

  it('publishes the changed fields with their previous values only', async () => {
    await add([
      { userId: 'observed', name: 'Old' },
      { userId: 'same', name: 'Same' },
    ]);
    const events = await eventsOf(() =>
      update([
        { userId: 'observed', name: 'New', accessRole: 'viewer' },
        { userId: 'same', name: 'Same' },
      ]),
    );
    const before = { userId: 'observed', name: 'Old', initial: 'O', accessRole: 'editor' };
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'user.update',
      metadata: { organizationId: 'acme' },
      data: {
        userId: 'observed',
        name: 'New',
        initial: 'N',
        accessRole: 'viewer',
        previous: before,
      },
    });
  });

  it('limits own fields across many updates', async () => {
    await add([{ userId: 'heavy', a: 'x'.repeat(9_000) }]);
    const outcomes = await update([{ userId: 'heavy', b: 'x'.repeat(9_000) }]);
    expect(outcomes.heavy.success).toBe(false);
    expect(await userAt('heavy')).not.toHaveProperty('b');
  });

  it('accepts a document or a folder, not both', async () => {
    const both = { folderId: 'legal', documentId: 'plan' };
    const data = { organizationId: 'acme', ...both, users: [{ userId: 'ada' }] };
    const { status, body } = await server.call('/v2/users/update', data);
    expect(status).toBe(400);
    expect(body.error.details.issues[0].path).toBe('folderId');
  });

  it('succeeds for concurrent callers who update the same users in any order', async () => {
    const userIds = Array.from({ length: 30 }, (_, n) => `rush-${n}`);
    await add(userIds.map((userId) => ({ userId })));
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const users = userIds.map((userId) => ({ userId, name: `Name ${n}`, [`field${n}`]: n }));
        return update(n % 2 === 0 ? users : users.toReversed());
      }),
    );
    const user = await userAt('rush-0');
    expect(Object.keys(user).filter((key) => key.startsWith('field'))).toHaveLength(10);
  });
});
