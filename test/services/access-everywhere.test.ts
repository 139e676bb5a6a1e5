import { beforeEach, describe, expect, inject, it } from 'vitest';
import { dataOf, failureOf, fresh } from '../support/answers.ts';
import { connect, type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const TOKEN_LIFE_MS = 48 * 60 * 60 * 1_000;

/** The clock of all processes. */
const clock = { time: Date.now(), now: () => clock.time };
let organizationId: string;
let userId: string;
const REDIS_URL = inject('redisUrl') ?? '';
/** Three processes. A change at one affects connections to all of them. */
const one = await startTestServer({ REDIS_URL }, { clock });
const environment = { REDIS_URL, DATABASE_URL: one.databaseUrl };
const two = await startTestServer(environment, { clock });
const three = await startTestServer(environment, { clock });
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

/** Makes another organization with a public document `plan`, to which the rest of the test refers. */
async function openPlanElsewhere(): Promise<void> {
  organizationId = fresh('elsewhere');
  const documents = [{ documentId: 'plan' }];
  await call('/v2/organizations/documents/add', { createOrganization: true, documents });
}

async function openOnAll(token?: string): Promise<Editor[]> {
  token ??= await userToken(one, userId);
  const name = `${organizationId}/plan/body`;
  const editors: Editor[] = [];
  for (const { url } of [one, two, three]) editors.push(await openEditor({ url, name, token }));
  return editors;
}

/** Expects that every process refuses new connections with the token for this reason. */
async function expectRefusedAnew(token: string, reason: string): Promise<void> {
  for (const server of [one, two, three]) {
    const late = connect({ url: server.url, name: `${organizationId}/plan/body`, token });
    await eventually(() => expect(late.refusals).toEqual([reason]));
    const query = { organizationId, documentIds: ['plan'] };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.call('/v2/commentannotations/get', query, headers);
    expect(failureOf(answer)).toEqual({ http: 403, status: 'PERMISSION_DENIED', reason });
  }
}

const refused = (editors: Editor[], reason: string) =>
  eventually(() => {
    for (const { refusals } of editors) expect(refusals[0]).toBe(reason);
  }, SOON_MS);

/** Changes that end the connections of the user, each with the reason that is sent. */
const ENDS: Array<[what: string, reason: string, act: () => Promise<unknown>]> = [
  [
    'removing a permission',
    'PERMISSION_DENIED',
    () => {
      const resources = [{ type: 'folder', id: 'plans', organizationId }];
      return call('/v2/auth/permissions/remove', { user: { userId }, permissions: { resources } });
    },
  ],
  [
    "moving the document out of the user's access",
    'PERMISSION_DENIED',
    async () => {
      const folders = [{ folderId: 'secret', accessType: 'restricted' }];
      await call('/v2/organizations/folders/add', { folders });
      const moved = { folderId: 'secret', documents: [{ documentId: 'plan' }] };
      await call('/v2/organizations/documents/move', moved);
    },
  ],
  [
    'deleting the document',
    'NOT_FOUND',
    () => call('/v2/organizations/documents/delete', { documentIds: ['plan'] }),
  ],
  [
    'deleting the folder',
    'NOT_FOUND',
    () => call('/v2/organizations/folders/delete', { folderId: 'plans' }),
  ],
  [
    'deleting the organization',
    'NOT_FOUND',
    () => call('/v2/organizations/delete', { organizationIds: [organizationId] }),
  ],
  [
    'erasing the user',
    'TOKEN_REVOKED',
    () => one.call('/v2/users/data/delete', { userIds: [userId] }),
  ],
];

describe('on every process, within a second', () => {
  it('a changed role changes what open connections may do', async () => {
    const editors = await openOnAll();
    await call('/v1/users/add', { folderId: 'plans', users: [{ userId, accessRole: 'viewer' }] });
    await eventually(() => {
      for (const { provider } of editors) expect(provider.authorizedScope).toBe('readonly');
    }, SOON_MS);
  });

  it.each(ENDS)('%s ends connections (%s)', async (_what, reason, act) => {
    const token = await userToken(one, userId);
    const editors = await openOnAll(token);
    await act();
    await refused(editors, reason);
    if (reason === 'TOKEN_REVOKED') await expectRefusedAnew(token, reason);
  });

  it('an expired grant ends connections', async () => {
    const expiresAt = Math.floor(clock.time / 1_000) + 60;
    const resources = [{ type: 'folder', id: 'plans', organizationId, expiresAt }];
    await call('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });
    const editors = await openOnAll();
    clock.time += 60_000;
    await refused(editors, 'PERMISSION_DENIED');
  });

  it('an expired token ends its connections, and no others', async () => {
    const token = await userToken(one, userId);
    clock.time += TOKEN_LIFE_MS - 10_000;
    const later = await openOnAll(await userToken(one, userId));
    const editors = await openOnAll(token);
    clock.time += 10_000;
    await refused(editors, 'TOKEN_EXPIRED');
    await eventually(() => {
      for (const { provider } of later) expect(provider.synced).toBe(true);
    });
    expect(later.flatMap(({ refusals }) => refusals)).toEqual([]);
    await expectRefusedAnew(token, 'TOKEN_EXPIRED');
  });

  it('deleting the user ends connections, also on a public document of any organization', async () => {
    const home = organizationId;
    await openPlanElsewhere();
    const editors = await openOnAll();
    organizationId = home;
    await call('/v2/users/delete', { userIds: [userId] });
    await refused(editors, 'TOKEN_REVOKED');
  });

  it('deleting the user ends connections permanently, also when the user is added again', async () => {
    const token = await userToken(one, userId);
    const editors = await openOnAll(token);
    await call('/v2/users/delete', { userIds: [userId] });
    await call('/v1/users/add', { folderId: 'plans', users: [{ userId }] });
    await refused(editors, 'TOKEN_REVOKED');
    await expectRefusedAnew(token, 'TOKEN_REVOKED');
    const again = await openOnAll(await userToken(one, userId));
    expect(again.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it("revoking a user's tokens ends connections, and none of another user or with a newer token", async () => {
    const token = await userToken(one, userId);
    const editors = await openOnAll(token);
    const colleague = fresh('colleague');
    await call('/v1/users/add', { folderId: 'plans', users: [{ userId: colleague }] });
    const untouched = await openOnAll(await userToken(one, colleague));
    await one.ok('/v2/auth/revoke_tokens', { userIds: [userId] });
    await refused(editors, 'TOKEN_REVOKED');
    await expectRefusedAnew(token, 'TOKEN_REVOKED');
    const again = await openOnAll(await userToken(one, userId));
    expect([...untouched, ...again].flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it('leaving one organization does not end a token used in another', async () => {
    const home = organizationId;
    await openPlanElsewhere();
    await call('/v1/users/add', { users: [{ userId }] });
    const editors = await openOnAll();
    const others = await one.call('/v2/users/delete', { organizationId: home, userIds: [userId] });
    expect(dataOf(others)[userId].success).toBe(true);
    for (const { text } of editors) text.insert(0, 'x');
    await Promise.all(editors.map(({ sent }) => sent()));
    expect(editors.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it('resetting the auth token ends connections, and none of another key', async () => {
    const token = await userToken(one, userId);
    const editors = await openOnAll(token);
    const other = await createTenant(one);
    await makePlan(one, other);
    const theirs = await userToken(one, 'ada', { accessRole: 'editor' }, other);
    const untouched = await openEditor({ url: two.url, name: 'acme/plan/body', token: theirs });
    const { apiKey } = one.quickstart;
    const reset = '/v2/workspace/authtoken/reset';
    const answer = await one.call(reset, { apiKey }, one.workspaceHeaders);
    // Later tests use the same headers.
    one.keyHeaders['x-svc-auth-token'] = dataOf(answer).newAuthToken.token;
    await refused(editors, 'TOKEN_REVOKED');
    await expectRefusedAnew(token, 'TOKEN_REVOKED');
    // The clock stands still, so the new token has the same second.
    const again = await openOnAll(await userToken(one, userId));
    expect([untouched, ...again].flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it('disabling a key ends connections, and enabling it makes the same token valid again', async () => {
    const token = await userToken(one, userId);
    const editors = await openOnAll(token);
    const disable = (disabled: boolean) =>
      one.call(
        '/v2/workspace/apikey/update',
        { apiKey: one.quickstart.apiKey, disabled },
        one.workspaceHeaders,
      );
    expect((await disable(true)).status).toBe(200);
    await refused(editors, 'API_KEY_DISABLED');
    await expectRefusedAnew(token, 'API_KEY_DISABLED');
    expect((await disable(false)).status).toBe(200);
    expect((await openOnAll(token)).flatMap(({ refusals }) => refusals)).toEqual([]);
  });
});
