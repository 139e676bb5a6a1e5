import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({}, { clock: { now: () => NOW * 1000 } });
});

async function ok(path: string, data: object, headers?: Record<string, string>) {
  const { body } = await server.call(path, data, headers);
  expect(body.error).toBeUndefined();
  return body.result.data;
}

const idsOf = (users: Array<{ userId: string }>) => users.map((user) => user.userId);
const add = (organizationId: string, users: object[], place: object = {}) =>
  ok('/v1/users/add', { organizationId, ...place, users });
const get = (organizationId: string, place: object = {}, headers?: Record<string, string>) =>
  server.call('/v2/users/get', { organizationId, ...place }, headers);

async function tokenOf(userId: string, resources: object[] = []) {
  const { token } = await ok('/v2/auth/generate_token', { userId, permissions: { resources } });
  return { authorization: `Bearer ${token}` };
}

describe('users/get', () => {
  it('returns the users who were added to the place, with their role on it', async () => {
    const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', color: '#f00' };
    await add('acme', [{ ...ada, accessRole: 'viewer' }, { userId: 'bob' }]);
    await add('acme', [{ userId: 'ada', accessRole: 'editor' }], { documentId: 'plan' });
    const { status, body } = await get('acme');
    expect(status).toBe(200);
    expect(body).toEqual({
      result: {
        status: 'success',
        message: 'User(s) retrieved successfully.',
        data: [
          { ...ada, initial: 'A', accessRole: 'viewer' },
          { userId: 'bob', accessRole: 'editor' },
        ],
      },
    });
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

  it('pages through all users while others are added', async () => {
    const userIds = Array.from({ length: 25 }, (_, n) => `user-${n}`);
    await add(
      'paged',
      userIds.map((userId) => ({ userId })),
    );
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { body } = await get('paged', { pageSize: 7, pageToken });
      seen.push(...idsOf(body.result.data));
      pageToken = body.result.nextPageToken;
      await add('paged', [{ userId: `user-${seen.length}-late` }]);
    } while (pageToken);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(userIds));
  });

  it('refuses a page token of another query', async () => {
    await add('tokens', [{ userId: 'a' }, { userId: 'b' }]);
    await add('tokens', [{ userId: 'a' }, { userId: 'b' }], { documentId: 'plan' });
    const { nextPageToken } = (await get('tokens', { pageSize: 1 })).body.result;
    expect((await get('tokens', { pageToken: nextPageToken })).status).toBe(200);
    const others = [{ documentId: 'plan' }, { userIds: ['a'] }];
    for (const other of others) {
      const { body } = await get('tokens', { ...other, pageToken: nextPageToken });
      expect(body.error.details.issues[0].path).toBe('pageToken');
    }
  });

  it.each([
    ['organization_not_found', 'missing', {}],
    ['folder_not_found', 'known', { folderId: 'missing' }],
    ['document_not_found', 'known', { documentId: 'missing' }],
  ])('returns %s', async (reason, organizationId, place) => {
    await add('known', [{ userId: 'a' }]);
    const { status, body } = await get(organizationId, place);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', details: { reason } });
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

  it('reflects changed permissions at once', async () => {
    const resource = { type: 'organization', id: organizationId };
    const token = await tokenOf('changing', [resource]);
    expect((await get(organizationId, {}, token)).status).toBe(200);
    const data = { user: { userId: 'changing' }, permissions: { resources: [resource] } };
    await ok('/v2/auth/permissions/remove', data);
    expect((await get(organizationId, {}, token)).status).toBe(403);
  });

  it('opens no operation closed to users', async () => {
    const owner = await tokenOf('owner');
    const data = { organizationId, userIds: ['owner'] };
    expect((await server.call('/v2/users/delete', data, owner)).status).toBe(403);
  });
});
