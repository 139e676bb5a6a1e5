import { beforeAll, describe, expect, it } from 'vitest';
import { verifyUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
let organizationId: string;
beforeAll(async () => {
  organizationId = fresh('org');
  const place = { organizationId, createOrganization: true };
  const folders = [{ folderId: 'f', accessType: 'restricted' }];
  dataOf(await server.call('/v2/organizations/folders/add', { ...place, folders }));
  const documents = [{ documentId: 'd', accessType: 'restricted' }];
  dataOf(await server.call('/v2/organizations/documents/add', { ...place, documents }));
});

const generate = (data: object) => server.call('/v2/auth/generate_token', data);
const grant = (...resources: object[]) => ({ permissions: { resources } });

async function permissions(userId: string) {
  const query = { organizationId, userIds: [userId], folderIds: ['f'], documentIds: ['d'] };
  return dataOf(await server.call('/v2/auth/permissions/get', query))[userId];
}

describe('auth/generate_token', () => {
  it('returns a token that names the key and the user', async () => {
    const answer = await generate({ userId: 'ada/ü' });
    expect(answer.body).toEqual({
      result: {
        status: 'success',
        message: 'Token generated successfully.',
        data: {
          token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          expiresAt: expect.any(Number),
        },
      },
    });
    const { secrets, clock } = server.app.services;
    const claims = await verifyUserToken(secrets, clock, dataOf(answer).token);
    expect(claims).toMatchObject({ tenantId: server.quickstart.apiKey, userId: 'ada/ü' });
    expect(claims.expiresAt).toBe(dataOf(answer).expiresAt);
    expect(Math.abs(claims.expiresAt - 48 * 3600 - clock.now() / 1000)).toBeLessThan(60);
  });

  it('stores the agent in the token', async () => {
    const agent = { agentId: 'reviewer', name: 'Reviewer', executionId: 'run-1' };
    const { token } = dataOf(await generate({ userId: 'ada', agent: { ...agent, other: 1 } }));
    const { secrets, clock } = server.app.services;
    expect(await verifyUserToken(secrets, clock, token)).toMatchObject({ userId: 'ada', agent });
    expect(failureOf(await generate({ userId: 'ada', agent: { name: 'Nobody' } }))).toMatchObject({
      status: 'INVALID_ARGUMENT',
    });
  });

  it('keeps an explicit initial while the name is the same', async () => {
    const user = { userId: fresh('user'), name: 'Ada' };
    const users = [{ ...user, initial: 'AL' }];
    dataOf(await server.call('/v1/users/add', { organizationId, users }));
    const initialFor = async (name: string) => {
      dataOf(await generate({ userId: user.userId, userProperties: { name } }));
      const query = { organizationId, userIds: [user.userId] };
      return dataOf(await server.call('/v2/users/get', query))[0].initial;
    };
    expect(await initialFor('Ada')).toBe('AL');
    expect(await initialFor('Grace')).toBe('G');
  });

  it('grants no access by itself', async () => {
    const userId = fresh('user');
    dataOf(await generate({ userId }));
    expect(await permissions(userId)).toMatchObject({
      organization: { [organizationId]: { errorCode: 'permission_denied' } },
      folders: { f: { errorCode: 'permission_denied' } },
      documents: { d: { errorCode: 'permission_denied' } },
    });
  });

  it('grants the requested roles on each resource', async () => {
    const userId = fresh('user');
    dataOf(
      await generate({
        userId,
        ...grant(
          { type: 'organization', id: organizationId, accessRole: 'viewer' },
          { type: 'folder', id: 'f', organizationId },
          { type: 'document', id: 'd', organizationId, accessRole: 'viewer', expiresAt: 4e9 },
        ),
      }),
    );
    expect(await permissions(userId)).toEqual({
      organization: {
        [organizationId]: { accessRole: 'viewer', accessType: 'organizationPrivate' },
      },
      folders: { f: { accessRole: 'editor', accessType: 'restricted' } },
      documents: { d: { accessRole: 'viewer', accessType: 'restricted', expiresAt: 4e9 } },
    });
  });

  it('refuses an unknown resource, and then grants nothing', async () => {
    const userId = fresh('user');
    const fine = { type: 'organization', id: organizationId };
    const unknown = { type: 'document', id: 'missing', organizationId };
    const answer = await generate({ userId, ...grant(fine, unknown) });
    expect(failureOf(answer).reason).toBe('document_not_found');
    expect((await permissions(userId)).organization[organizationId]).toMatchObject({
      errorCode: 'permission_denied',
    });
  });

  it.each([
    ['resources[0].type', { type: 'team', id: 'x' }],
    ['resources[0].id', { type: 'organization' }],
    ['resources[0].organizationId', { type: 'folder', id: 'f' }],
    ['resources[0].accessRole', { type: 'organization', id: 'o', accessRole: 'owner' }],
    ['resources[0].expiresAt', { type: 'organization', id: 'o', expiresAt: 0 }],
    ['resources[0].expiresAt', { type: 'organization', id: 'o', expiresAt: 1.5 }],
    ['resources[0].context.access', { type: 'organization', id: 'o', context: {} }],
    ['resources[0].context.access.a[0]', context({ a: ['\0'] })],
    ['resources[0].context.access.a[0]', context({ a: ['\ud800'] })],
    ['resources[0].context.access.a', context({ a: 'text' })],
  ])('names permissions.%s as the problem of %j', async (path, resource) => {
    const answer = await generate({ userId: 'u', ...grant(resource) });
    expect(answer.body).toEqual(invalid(`permissions.${path}`));
  });

  it.each([
    ['a field that cannot be stored', { 'a\0': ['b'] }],
    ['more than 64 KB', { team: Array.from({ length: 300 }, (_, n) => `${n}-`.padEnd(250, 'x')) }],
  ])('refuses an access context with %s', async (_, access) => {
    const answer = await generate({ userId: 'u', ...grant(context(access)) });
    expect(failureOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  });

  function context(access: object) {
    return { type: 'organization', id: 'o', context: { access } };
  }
});
