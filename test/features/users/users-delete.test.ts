import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { eventsDuring } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({ ROLES: 'api' }, { clock: { now: () => NOW * 1000 } });
beforeAll(async () => {
  for (const organizationId of ['acme', 'other']) {
    const folders = [{ folderId: 'legal' }];
    await ok('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders,
    });
    const documents = [{ documentId: 'plan' }];
    await ok('/v2/organizations/documents/add', { organizationId, documents });
  }
});

const ok = async (path: string, data: object) => dataOf(await server.call(path, data));

const add = (userId: string, place: object = {}) =>
  ok('/v1/users/add', { organizationId: 'acme', ...place, users: [{ userId, name: 'Ada' }] });
const remove = (userIds: string[], place: object = {}) =>
  ok('/v2/users/delete', { organizationId: 'acme', ...place, userIds });
const isAt = async (userId: string, place: object = {}) => {
  const query = { organizationId: 'acme', ...place, userIds: [userId] };
  return (await ok('/v2/users/get', query)).length === 1;
};
/** Whether the key still has the user. */
const exists = async (userId: string) =>
  (await ok('/v2/users/update', { organizationId: 'acme', users: [{ userId }] }))[userId].success;

const deleted = (id: string) => ({ [id]: { success: true, id, message: 'User deleted.' } });
const PLACES = [{}, { documentId: 'plan' }, { folderId: 'legal' }];

describe('users/delete', () => {
  it('removes a user from the organization, with every role and group in it', async () => {
    for (const place of PLACES) await add('ada', place);
    await add('ada', { organizationId: 'other' });
    const group = { organizationId: 'acme', organizationUserGroupId: 'team' };
    await ok('/v1/organizations/usergroups/users/add', { ...group, userIds: ['ada'] });
    expect(await remove(['ada'])).toEqual(deleted('ada'));
    for (const place of PLACES) expect(await isAt('ada', place)).toBe(false);
    const query = { organizationId: 'acme', organizationUserGroupIds: ['team'] };
    const [team] = await ok('/v2/organizations/usergroups/get', query);
    expect(team.userIds).toEqual([]);
    expect(await isAt('ada', { organizationId: 'other' })).toBe(true);
    expect(await exists('ada')).toBe(true);
  });

  it('removes a user from only the named document or folder', async () => {
    for (const place of PLACES) await add('bob', place);
    for (const place of PLACES.slice(1)) {
      expect(await remove(['bob'], place)).toEqual(deleted('bob'));
      expect(await isAt('bob', place)).toBe(false);
    }
    expect(await isAt('bob')).toBe(true);
  });

  it('deletes users without a remaining role or group, and revokes their user tokens', async () => {
    await add('gone', { documentId: 'plan' });
    const { token } = await ok('/v2/auth/generate_token', { userId: 'gone' });
    const look = () =>
      server.call(
        '/v2/users/get',
        { organizationId: 'acme', documentId: 'plan' },
        { authorization: `Bearer ${token}` },
      );
    expect((await look()).status).toBe(200);
    await remove(['gone'], { documentId: 'plan' });
    expect(await exists('gone')).toBe(false);
    const { status, body } = await look();
    expect(status).toBe(403);
    expect(body.error).toMatchObject({
      status: 'PERMISSION_DENIED',
      details: { reason: 'TOKEN_REVOKED' },
    });
  });

  it('keeps users who are in a group or in another organization', async () => {
    await add('grouped', { documentId: 'plan' });
    const group = { organizationId: 'acme', organizationUserGroupId: 'keepers' };
    await ok('/v1/organizations/usergroups/users/add', { ...group, userIds: ['grouped'] });
    await remove(['grouped'], { documentId: 'plan' });
    expect(await exists('grouped')).toBe(true);
    await remove(['grouped']);
    expect(await exists('grouped')).toBe(false);
  });

  it('deletes users who never had a role, or whose roles have expired', async () => {
    const resource = { type: 'organization', id: 'acme', expiresAt: NOW };
    await ok('/v2/auth/generate_token', { userId: 'bare' });
    const permissions = { resources: [resource] };
    await ok('/v2/auth/generate_token', { userId: 'ended', permissions });
    expect(await remove(['bare', 'ended'])).toEqual({ ...deleted('bare'), ...deleted('ended') });
    expect([await exists('bare'), await exists('ended')]).toEqual([false, false]);
  });

  it('reports users who do not exist, and those who are not in that place', async () => {
    await add('elsewhere', { organizationId: 'other' });
    await add('here');
    expect(await remove(['nobody', 'elsewhere', 'here', 'here'])).toEqual({
      nobody: { success: false, id: 'nobody', message: 'User does not exist.' },
      elsewhere: {
        success: false,
        id: 'elsewhere',
        message: 'User is not in this organization.',
      },
      ...deleted('here'),
    });
    expect(await isAt('elsewhere', { organizationId: 'other' })).toBe(true);
  });

  it("publishes each deletion once, with the user's previous state", async () => {
    await add('observed', { documentId: 'plan' });
    const events = await eventsDuring(server, async () => {
      await remove(['observed', 'observed', 'unknown'], { documentId: 'plan' });
      await remove(['observed'], { documentId: 'plan' });
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'user.delete',
      metadata: { organizationId: 'acme', documentId: 'plan' },
      data: { userId: 'observed', name: 'Ada', initial: 'A', accessRole: 'editor' },
    });
  });

  it('leaves no partial user when the same users are added concurrently', async () => {
    const userIds = Array.from({ length: 20 }, (_, n) => `rush-${n}`);
    const users = userIds.map((userId) => ({ userId }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0
          ? server.call('/v1/users/add', { organizationId: 'acme', users })
          : server.call('/v2/users/delete', {
              organizationId: 'acme',
              userIds: userIds.toReversed(),
            }),
      ),
    );
    expect(answers.filter((answer) => answer.status >= 500)).toEqual([]);
    for (const userId of userIds) expect(await isAt(userId)).toBe(await exists(userId));
  });
});
