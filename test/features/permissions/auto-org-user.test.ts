import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../../src/api/context.ts';
import { ensureMembershipOfNamed } from '../../../src/features/access/ensure-membership.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf } from '../../support/answers.ts';
import { createTenant, testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;
type Headers = Record<string, string>;

/** A key with requireAutoOrgUser, and one without. */
let auto: Headers;
let plain: Headers;

const server = testServer({}, { clock: { now: () => NOW * 1000 } });
beforeAll(async () => {
  [auto, plain] = [
    await createTenant(server, { requireAutoOrgUser: true }),
    await createTenant(server),
  ];
  for (const key of [auto, plain]) {
    await ok(key, '/v2/organizations/documents/add', {
      organizationId: 'acme',
      createOrganization: true,
      documents: [{ documentId: 'private', accessType: 'organizationPrivate' }],
    });
  }
});

const ok = async (headers: Headers, path: string, data: object) =>
  dataOf(await server.call(path, data, headers));

async function tokenOf(key: Headers, userId: string, named: object = {}): Promise<Headers> {
  const { token } = await ok(key, '/v2/auth/generate_token', { userId, ...named });
  return { authorization: `Bearer ${token}` };
}

const look = (token: Headers, place: object = { documentId: 'private' }) =>
  server.call('/v2/users/get', { organizationId: 'acme', ...place }, token);

async function members(key: Headers): Promise<string[]> {
  const users: Array<{ userId: string }> = await ok(key, '/v2/users/get', {
    organizationId: 'acme',
  });
  return users.map((user) => user.userId);
}

/** The context in which operations of a feature run. */
const contextOf = (key: Headers, userId?: string): KeyContext =>
  ({
    ...server.app.services,
    tenantId: key['x-svc-api-key'] ?? '',
    userId,
    key: { requireAutoOrgUser: key === auto, defaultAccessRole: 'editor' },
  }) as KeyContext;

describe('a user whose token names organizations', () => {
  it('is added to them if the key requires it, with one event', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 6 }, () => tokenOf(auto, 'comer', { organizations: ['acme'] })),
    );
    const answers = await Promise.all(tokens.map((token) => look(token)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    expect(await members(auto)).toContain('comer');
    const { events } = await ok(auto, '/v2/events/get', { types: ['user.add'] });
    const published = events.filter(
      (event: { data: { userId: string } }) => event.data.userId === 'comer',
    );
    expect(published).toMatchObject([
      { metadata: { organizationId: 'acme' }, data: { userId: 'comer', accessRole: 'editor' } },
    ]);
  });

  it('is added to the organization of a document that the token grants a role on', async () => {
    const resources = [{ type: 'document', id: 'private', organizationId: 'acme' }];
    await tokenOf(auto, 'guest', { permissions: { resources } });
    expect(await members(auto)).toContain('guest');
    await tokenOf(plain, 'guest', { permissions: { resources } });
    expect(await members(plain)).not.toContain('guest');
  });

  it('is added to no other organization', async () => {
    const place = { organizationId: 'other', createOrganization: true };
    const documents = [{ documentId: 'private', accessType: 'organizationPrivate' }];
    await ok(auto, '/v2/organizations/documents/add', { ...place, documents });
    const token = await tokenOf(auto, 'wanderer', { organizations: ['acme'] });
    const there = { organizationId: 'other', documentId: 'private' };
    expect((await look(token)).status).toBe(200);
    expect((await look(token, there)).status).toBe(403);
    const inbox = { organizationId: 'other', userId: 'wanderer' };
    await server.call('/v2/notifications/get', inbox, token);
    expect((await look(token, there)).status).toBe(403);
    expect(await ok(auto, '/v2/users/get', { organizationId: 'other' })).toEqual([]);
  });

  it('is not added again by the same token after being removed', async () => {
    const token = await tokenOf(auto, 'leaver', { organizations: ['acme'] });
    await ok(auto, '/v1/users/add', { organizationId: 'home', users: [{ userId: 'leaver' }] });
    await ok(auto, '/v2/users/delete', { organizationId: 'acme', userIds: ['leaver'] });
    expect((await look(token)).status).toBe(403);
    expect(await members(auto)).not.toContain('leaver');
  });

  it('is not added if the key does not require it', async () => {
    const token = await tokenOf(plain, 'comer', { organizations: ['acme'] });
    expect((await look(token)).status).toBe(403);
    expect(await members(plain)).not.toContain('comer');
  });

  it('is not added by a grant that has expired', async () => {
    const resources = [{ type: 'organization', id: 'acme', expiresAt: NOW }];
    const named = { organizations: ['acme'], permissions: { resources } };
    const token = await tokenOf(auto, 'ended', named);
    expect((await look(token)).status).toBe(403);
    expect(await members(auto)).not.toContain('ended');
  });

  it('creates no organization', async () => {
    const data = { userId: 'lost', organizations: ['acme', 'missing'] };
    const { body } = await server.call('/v2/auth/generate_token', data, auto);
    expect(body.error.details.reason).toBe('organization_not_found');
    const missing = await server.call('/v2/users/get', { organizationId: 'missing' }, auto);
    expect(missing.body.error.details.reason).toBe('organization_not_found');
    expect(await members(auto)).not.toContain('lost');
  });
});

describe('users who are named as author or recipient', () => {
  const named = [{ userId: 'author', name: 'Ann' }, { userId: 'mentioned' }, { userId: 'author' }];
  const name = (key: Headers) => {
    const ctx = contextOf(key);
    return ctx.db.transaction((tx) => ensureMembershipOfNamed(ctx, tx, 'acme', named));
  };

  it('are added if the key requires it, with the given profile', async () => {
    await Promise.all([name(auto), name(auto)]);
    const query = { organizationId: 'acme', userIds: ['author', 'mentioned'] };
    expect(await ok(auto, '/v2/users/get', query)).toMatchObject([
      { userId: 'author', accessRole: 'editor' },
      { userId: 'mentioned', accessRole: 'editor' },
    ]);
  });

  it('keep their stored profile and role', async () => {
    const users = [{ userId: 'mentioned', name: 'Max', accessRole: 'viewer' }];
    await ok(auto, '/v1/users/add', { organizationId: 'acme', users });
    await name(auto);
    const query = { organizationId: 'acme', userIds: ['mentioned'] };
    expect(await ok(auto, '/v2/users/get', query)).toEqual([{ ...users[0], initial: 'M' }]);
  });

  it('are not added by a user token', async () => {
    const ctx = contextOf(auto, 'comer');
    const strangers = [{ userId: 'stranger', name: 'Sam' }];
    await ctx.db.transaction((tx) => ensureMembershipOfNamed(ctx, tx, 'acme', strangers));
    expect(await members(auto)).not.toContain('stranger');
    const rows = await ctx.db.query(sql`
      SELECT 1 FROM users WHERE tenant_id = ${ctx.tenantId} AND user_id = 'stranger'`);
    expect(rows).toEqual([]);
  });

  it('are not added if the key does not require it', async () => {
    await name(plain);
    expect(await members(plain)).not.toContain('author');
  });
});
