import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../support/annotations.ts';
import { failureOf, fresh, type Headers, type Loose } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { allEvents } from '../../support/events.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const NOW = 1_800_000_000;
const server = await startTestServer({}, { clock: { now: () => NOW * 1000 } });
const documents = [{ documentId: 'private', accessType: 'organizationPrivate' }];
/** A key with requireAutoOrgUser, and one without. */
const auto = await createTenant(server, { requireAutoOrgUser: true });
const plain = await createTenant(server);
for (const key of [auto, plain]) await organize(server, 'acme', { documents }, key);
await organize(server, 'other', { documents }, auto);

async function tokenOf(key: Headers, userId: string, named: object = {}): Promise<Headers> {
  const { token } = await server.ok('/v2/auth/generate_token', { userId, ...named }, key);
  return { authorization: `Bearer ${token}` };
}

/** The status of a read for which members alone have access. */
const statusOfRead = async (token: Headers, organizationId = 'acme') => {
  const place = { organizationId, documentId: 'private' };
  return (await server.call('/v2/users/get', place, token)).status;
};

const usersOf = (key: Headers, organizationId = 'acme'): Promise<Loose[]> =>
  server.ok('/v2/users/get', { organizationId }, key);
const members = async (key: Headers, organizationId = 'acme') =>
  (await usersOf(key, organizationId)).map(({ userId }) => userId);

describe('a user whose token names organizations', () => {
  it('is added to them if the key requires it, with one event', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 6 }, () => tokenOf(auto, 'comer', { organizations: ['acme'] })),
    );
    const statuses = await Promise.all(tokens.map((token) => statusOfRead(token)));
    expect(statuses).toEqual(Array(6).fill(200));
    expect(await members(auto)).toContain('comer');
    const events = await allEvents(server, { types: ['user.add'] }, auto);
    expect(events.filter(({ data }) => data.userId === 'comer')).toMatchObject([
      { metadata: { organizationId: 'acme' }, data: { userId: 'comer', accessRole: 'editor' } },
    ]);
    const elsewhere = await tokenOf(plain, 'comer', { organizations: ['acme'] });
    expect(await statusOfRead(elsewhere)).toBe(403);
    expect(await members(plain)).not.toContain('comer');
  });

  it('is added to the organization of a document that the token grants a role on', async () => {
    const resources = [{ type: 'document', id: 'private', organizationId: 'acme' }];
    for (const key of [auto, plain]) await tokenOf(key, 'guest', { permissions: { resources } });
    expect(await members(auto)).toContain('guest');
    expect(await members(plain)).not.toContain('guest');
  });

  it('is added to no other organization, nor created one', async () => {
    const token = await tokenOf(auto, 'wanderer', { organizations: ['acme'] });
    expect(await statusOfRead(token)).toBe(200);
    const inbox = { organizationId: 'other', userId: 'wanderer' };
    await server.call('/v2/notifications/get', inbox, token);
    expect(await statusOfRead(token, 'other')).toBe(403);
    expect(await members(auto, 'other')).toEqual([]);
    const data = { userId: 'lost', organizations: ['acme', 'missing'] };
    const refused = await server.call('/v2/auth/generate_token', data, auto);
    expect(failureOf(refused).reason).toBe('organization_not_found');
    const missing = await server.call('/v2/users/get', { organizationId: 'missing' }, auto);
    expect(failureOf(missing).reason).toBe('organization_not_found');
    expect(await members(auto)).not.toContain('lost');
  });

  it('is not added again by the same token after being removed, nor by a grant that has expired', async () => {
    const token = await tokenOf(auto, 'leaver', { organizations: ['acme'] });
    const users = [{ userId: 'leaver' }];
    await server.ok('/v1/users/add', { organizationId: 'home', users }, auto);
    await server.ok('/v2/users/delete', { organizationId: 'acme', userIds: ['leaver'] }, auto);
    const resources = [{ type: 'organization', id: 'acme', expiresAt: NOW }];
    const named = { organizations: ['acme'], permissions: { resources } };
    for (const headers of [token, await tokenOf(auto, 'ended', named)]) {
      expect(await statusOfRead(headers)).toBe(403);
    }
    const now = await members(auto);
    expect(now).not.toContain('leaver');
    expect(now).not.toContain('ended');
  });
});

describe('users whom a comment names', () => {
  const place = { organizationId: 'acme', documentId: 'private' };
  const name = (headers: Headers, taggedUserContacts: object[], from?: object, more = {}) => {
    const commentData = [{ commentText: 'x', from, taggedUserContacts }];
    const annotation = { annotationId: fresh('annotation'), commentData, ...more };
    return annotationsOf(server, headers).add(place, [annotation]);
  };

  it('are added if the key requires it, and keep their stored profile and role', async () => {
    const max = { userId: 'stored', name: 'Max', accessRole: 'viewer' };
    await server.ok('/v1/users/add', { organizationId: 'acme', users: [max] }, auto);
    const named = [{ userId: 'mentioned', name: 'Mia' }, { userId: 'stored' }];
    const author = { userId: 'author', name: 'Ann' };
    const assigned = { assignedTo: { userId: 'assigned', name: 'Amy' } };
    await Promise.all([1, 2].map(() => name(auto, named, author, assigned)));
    await name(plain, named, author, assigned);
    const added = (await usersOf(auto)).filter(({ name }) => name !== undefined);
    expect(added).toEqual([
      { ...assigned.assignedTo, initial: 'A', accessRole: 'editor' },
      { ...author, initial: 'A', accessRole: 'editor' },
      { userId: 'mentioned', name: 'Mia', initial: 'M', accessRole: 'editor' },
      { ...max, initial: 'M' },
    ]);
    expect(await members(plain)).not.toContain('author');
  });

  it('are added when they subscribe, but not when they unsubscribe, read or take a reaction back', async () => {
    const annotationId = fresh('annotation');
    const commentData = [{ commentText: 'x', from: { userId: 'first' } }];
    await annotationsOf(server, auto).add(place, [{ annotationId, commentData }]);
    for (const path of ['subscribe', 'unsubscribe', 'read', 'reactions/delete']) {
      const named = { annotationId, commentId: 1, icon: '👍', userId: `who-${path}` };
      await server.ok(`/v2/commentannotations/${path}`, { ...place, ...named }, auto);
    }
    const now = (await members(auto)).filter((userId) => userId.startsWith('who-'));
    expect(now).toEqual(['who-subscribe']);
  });

  it('are not added by a user token, nor by an annotation that is refused', async () => {
    const token = await tokenOf(auto, 'writer', { organizations: ['acme'] });
    expect((await name(token, [{ userId: 'stranger', name: 'Sam' }])).status).toBe(200);
    const annotation = { annotationId: 'taken' };
    for (const userId of ['first', 'refused']) {
      const commentData = [{ commentText: 'x', from: { userId } }];
      await annotationsOf(server, auto).add(place, [{ ...annotation, commentData }]);
    }
    const now = await members(auto);
    expect(now).toContain('first');
    expect(now).not.toContain('stranger');
    expect(now).not.toContain('refused');
  });
});
