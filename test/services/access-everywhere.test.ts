import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { fresh } from '../support/answers.ts';
import { connect, type Editor, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const SOON_MS = 1_000;
const TOKEN_LIFE_MS = 48 * 60 * 60 * 1_000;

/** Of both of them. */
const clock = { time: Date.now(), now: () => clock.time };

/** What is changed at one is to act on who is connected to either. */
let one: TestServer;
let two: TestServer;
let organizationId: string;
let userId: string;
beforeAll(async () => {
  const REDIS_URL = inject('redisUrl') ?? '';
  one = await startTestServer({ SECRET_KEY, REDIS_URL }, { clock });
  const environment = { SECRET_KEY, REDIS_URL, DATABASE_URL: one.databaseUrl };
  two = await startTestServer(environment, { clock });
});
beforeEach(async () => {
  organizationId = fresh('org');
  userId = fresh('user');
  await call('/v2/organizations/add', { organizations: [{ organizationId }] });
  await call('/v2/organizations/folders/add', {
    folders: [{ folderId: 'plans', accessType: 'restricted' }],
  });
  await call('/v2/organizations/documents/add', {
    folderId: 'plans',
    documents: [{ documentId: 'plan' }],
  });
  await call('/v1/users/add', { folderId: 'plans', users: [{ userId }] });
});

async function call(path: string, data: object): Promise<void> {
  const { status, body } = await one.call(path, { organizationId, ...data });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

async function openOnBoth(token?: string): Promise<Editor[]> {
  token ??= await userToken(one, userId);
  const name = `${organizationId}/plan/body`;
  return [
    await openEditor({ url: one.url, name, token }),
    await openEditor({ url: two.url, name, token }),
  ];
}

const refused = (editors: Editor[], reason: string) =>
  eventually(() => {
    for (const { refusals } of editors) expect(refusals[0]).toBe(reason);
  }, SOON_MS);

describe('on every process, within a second', () => {
  it('a changed role changes what an open connection may do', async () => {
    const editors = await openOnBoth();
    await call('/v1/users/add', { folderId: 'plans', users: [{ userId, accessRole: 'viewer' }] });
    await eventually(() => {
      for (const { provider } of editors) expect(provider.authorizedScope).toBe('readonly');
    }, SOON_MS);
  });

  it('a permission that is taken away ends it', async () => {
    const editors = await openOnBoth();
    const resources = [{ type: 'folder', id: 'plans', organizationId }];
    await call('/v2/auth/permissions/remove', { user: { userId }, permissions: { resources } });
    await refused(editors, 'PERMISSION_DENIED');
  });

  it('the end of a grant ends it', async () => {
    const expiresAt = Math.floor(clock.time / 1_000) + 60;
    const resources = [{ type: 'folder', id: 'plans', organizationId, expiresAt }];
    await call('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });
    const editors = await openOnBoth();
    clock.time += 60_000;
    await refused(editors, 'PERMISSION_DENIED');
  });

  it('the end of the token ends it, and of no other', async () => {
    const token = await userToken(one, userId);
    clock.time += TOKEN_LIFE_MS - 10_000;
    const later = await openOnBoth(await userToken(one, userId));
    const editors = await openOnBoth(token);
    clock.time += 10_000;
    await refused(editors, 'PERMISSION_DENIED');
    await eventually(() => {
      for (const { provider } of later) expect(provider.synced).toBe(true);
    });
    expect(later.flatMap(({ refusals }) => refusals)).toEqual([]);
    for (const { url } of [one, two]) {
      const late = connect({ url, name: `${organizationId}/plan/body`, token });
      await eventually(() => expect(late.refusals).toEqual(['PERMISSION_DENIED']));
    }
  });

  it('a document that moves to where the user has no access ends it', async () => {
    const editors = await openOnBoth();
    await call('/v2/organizations/folders/add', {
      folders: [{ folderId: 'secret', accessType: 'restricted' }],
    });
    await call('/v2/organizations/documents/move', {
      folderId: 'secret',
      documents: [{ documentId: 'plan' }],
    });
    await refused(editors, 'PERMISSION_DENIED');
  });

  it('the deletion of the document ends it', async () => {
    const editors = await openOnBoth();
    await call('/v2/organizations/documents/delete', { documentIds: ['plan'] });
    await refused(editors, 'NOT_FOUND');
  });

  it('the deletion of the folder ends it', async () => {
    const editors = await openOnBoth();
    await call('/v2/organizations/folders/delete', { folderId: 'plans' });
    await refused(editors, 'NOT_FOUND');
  });

  it('the deletion of the organization ends it', async () => {
    const editors = await openOnBoth();
    await call('/v2/organizations/delete', { organizationIds: [organizationId] });
    await refused(editors, 'NOT_FOUND');
  });

  it('the deletion of the user ends it, on a public document of any organization', async () => {
    const home = organizationId;
    organizationId = fresh('elsewhere');
    await call('/v2/organizations/add', { organizations: [{ organizationId }] });
    await call('/v2/organizations/documents/add', { documents: [{ documentId: 'plan' }] });
    const editors = await openOnBoth();
    organizationId = home;
    await call('/v2/users/delete', { userIds: [userId] });
    await refused(editors, 'PERMISSION_DENIED');
  });
});
