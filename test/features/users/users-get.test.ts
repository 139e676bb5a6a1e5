import { beforeAll, describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({}, { clock: { now: () => NOW * 1000 } });

const ok = async (path: string, data: object, headers?: Record<string, string>) =>
  dataOf(await server.call(path, data, headers));

const idsOf = (users: Array<{ userId: string }>) => users.map((user) => user.userId);
const add = (organizationId: string, users: object[], place: object = {}) =>
  ok('/v1/users/add', { organizationId, ...place, users });
const get = (organizationId: string, place: object = {}, headers?: Record<string, string>) =>
  server.call('/v2/users/get', { organizationId, ...place }, headers);

const tokenOf = (userId: string, resources: object[] = []) =>
  userHeaders(server, userId, resources);

describe('users/get', () => {
  it('returns the users who were added to the place, with their role on it', async () => {
    const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', color: '#f00' };
    await add('acme', [{ ...ada, accessRole: 'viewer' }, { userId: 'bob' }]);
    await add('acme', [{ userId: 'ada', accessRole: 'editor' }], { documentId: 'plan' });
    expect((await get('acme')).body.result.data).toEqual([
      { ...ada, initial: 'A', accessRole: 'viewer' },
      { userId: 'bob', accessRole: 'editor' },
    ]);
    const onDocument = await get('acme', { documentId: 'plan' });
    expect(onDocument.body.result.data).toEqual([{ ...ada, initial: 'A', accessRole: 'editor' }]);
  });

  it('leaves out users whose role has expired', async () => {
    await add('ending', [{ userId: 'stays' }]);
    const give = (userId: string, expiresAt: number) =>
      tokenOf(userId, [{ type: 'organization', id: 'ending', expiresAt }]);
    await give('ended', NOW);
    await give('ends', NOW + 1);
    expect(idsOf((await get('ending')).body.result.data)).toEqual(['ends', 'stays']);
  });

  it('filters by userIds', async () => {
    await add('some', [{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }]);
    const { body } = await get('some', { userIds: ['c', 'a', 'unknown', 'a'] });
    expect(idsOf(body.result.data)).toEqual(['a', 'c']);
    expect((await get('some', { userIds: [] })).body.result.data).toHaveLength(3);
    const tooMany = Array.from({ length: 31 }, (_, n) => `user-${n}`);
    expect((await get('some', { userIds: tooMany })).status).toBe(400);
  });
});

describe('users/get with a user token', () => {
  const organizationId = 'tokened';
  beforeAll(async () => {
    await ok('/v2/organizations/documents/add', {
      organizationId,
      createOrganization: true,
      documents: [
        { documentId: 'open' },
        { documentId: 'closed', accessType: 'restricted' },
        { documentId: 'private', accessType: 'organizationPrivate' },
      ],
    });
    await add(organizationId, [{ userId: 'owner' }]);
    for (const documentId of ['open', 'closed', 'private']) {
      await add(organizationId, [{ userId: 'owner' }], { documentId });
    }
  });

  it('returns the users of places that the user may view', async () => {
    const outsider = await tokenOf('outsider');
    const seen = await get(organizationId, { documentId: 'open' }, outsider);
    expect(idsOf(seen.body.result.data)).toEqual(['owner']);
    const owner = await tokenOf('owner');
    for (const place of [{}, { documentId: 'closed' }, { documentId: 'private' }]) {
      const answer = await get(organizationId, place, owner);
      expect(idsOf(answer.body.result.data)).toContain('owner');
    }
  });

  it('denies hidden and missing places in the same words', async () => {
    const outsider = await tokenOf('outsider');
    const document = (documentId: string) => get(organizationId, { documentId }, outsider);
    const closed = await document('closed');
    expect(closed.status).toBe(403);
    expect(closed.body.error.status).toBe('PERMISSION_DENIED');
    for (const hidden of ['private', 'missing']) {
      expect((await document(hidden)).body).toEqual(closed.body);
    }
    const [hidden, missing] = [
      await get(organizationId, {}, outsider),
      await get('missing', {}, outsider),
    ];
    expect(hidden.status).toBe(403);
    expect(hidden.body).toEqual(missing.body);
    const noFolder = await get(organizationId, { folderId: 'missing' }, outsider);
    expect(noFolder.status).toBe(403);
  });
});
