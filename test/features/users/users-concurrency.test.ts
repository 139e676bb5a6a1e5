import { beforeAll, describe, expect, it } from 'vitest';
import { testServer } from '../../support/server.ts';

const organizationId = 'acme';
const userIds = Array.from({ length: 20 }, (_, n) => `user-${n}`);
const backwards = userIds.toReversed();

const server = testServer();
beforeAll(async () => {
  const users = userIds.map((userId) => ({ userId }));
  await server.call('/v1/users/add', { organizationId, users });
  const documents = [{ documentId: 'plan' }];
  await server.call('/v2/organizations/documents/add', { organizationId, documents });
});

const resources = [
  { type: 'document', id: 'plan', organizationId },
  { type: 'organization', id: organizationId },
];
const permissions = { user: { userId: 'user-0' }, permissions: { resources } };
const reversed = { user: { userId: 'user-0' }, permissions: { resources: resources.toReversed() } };
const group = { organizationId, organizationUserGroupId: 'team' };
const named = (ids: string[], name: string) => ids.map((userId) => ({ userId, name }));

/** Every write on users, roles and groups, each with the ids in another order. */
const writes: Array<[string, object]> = [
  ['/v1/users/add', { organizationId, users: named(userIds, 'A') }],
  ['/v1/users/add', { organizationId, documentId: 'plan', users: named(backwards, 'B') }],
  ['/v2/users/update', { organizationId, users: named(backwards, 'C') }],
  ['/v2/users/delete', { organizationId, userIds: backwards }],
  ['/v2/users/delete', { organizationId, documentId: 'plan', userIds }],
  ['/v2/auth/permissions/add', permissions],
  ['/v2/auth/permissions/remove', reversed],
  ['/v2/auth/generate_token', { userId: 'user-0', permissions: reversed.permissions }],
  ['/v1/organizations/usergroups/users/add', { ...group, userIds }],
  ['/v1/organizations/usergroups/users/delete', { ...group, userIds: backwards }],
  ['/v1/organizations/usergroups/users/delete', { ...group, deleteAll: true }],
];

describe('concurrent writes of the same users, roles and groups', () => {
  it('all succeed, in any order', async () => {
    await server.call('/v1/organizations/usergroups/users/add', { ...group, userIds });
    for (let round = 0; round < 12; round++) {
      const turned = [...writes.slice(round), ...writes.slice(0, round), ...writes.toReversed()];
      const answers = await Promise.all(turned.map(([path, data]) => server.call(path, data)));
      const failures = answers.filter((answer) => answer.status !== 200);
      expect(failures.map((failure) => failure.body)).toEqual([]);
    }
  });
});

describe('users/add during the deletion of the organization', () => {
  it('always adds the users, and creates the organization again', async () => {
    const fleeting = { organizationId: 'fleeting', users: [{ userId: 'user-0' }] };
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all([
        server.call('/v1/users/add', { ...fleeting, documentId: 'plan' }),
        server.call('/v2/organizations/delete', { organizationIds: ['fleeting'] }),
        server.call('/v1/users/add', fleeting),
        server.call('/v2/organizations/delete', { organizationIds: ['fleeting'] }),
        server.call('/v1/users/add', { ...fleeting, documentId: 'plan' }),
      ]);
      const failures = answers.filter((answer) => answer.status !== 200);
      expect(failures.map((failure) => failure.body)).toEqual([]);
    }
  });
});
