import { describe, expect, it } from 'vitest';
import { signUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { dataOf, failureOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';
import { createTrpcClient } from '../../support/trpc-client.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const server = testServer();

const call = (path: string, apiKey: string, headers = server.workspaceHeaders) =>
  server.call(`/v2/workspace/${path}`, { apiKey }, headers);
const get = async (apiKey: string) => dataOf(await call('authtokens/get', apiKey));
const reset = async (apiKey: string) => dataOf(await call('authtoken/reset', apiKey));

async function createKey(createAuthToken = true): Promise<string> {
  const input = { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken };
  const path = '/v2/workspace/apikey/create';
  return dataOf(await server.call(path, input, server.workspaceHeaders)).apiKey;
}

async function works(apiKey: string, token: string): Promise<boolean> {
  const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
  return (await server.call('/v2/events/get', {}, headers)).status === 200;
}

describe('workspace/authtokens/get', () => {
  it('returns the tokens of the key on every call', async () => {
    const apiKey = await createKey();
    const first = await get(apiKey);
    expect(first).toEqual({
      apiKey,
      authTokens: [{ token: expect.stringMatching(/^[\w-]{43}$/), name: '', domains: [] }],
    });
    expect(await get(apiKey)).toEqual(first);
    expect(await works(apiKey, first.authTokens[0].token)).toBe(true);
  });
});

/** A user token of the key, created with its first auth token. */
async function userTokenOf(apiKey: string): Promise<string> {
  const [{ token }] = (await get(apiKey)).authTokens;
  const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
  return dataOf(await server.call('/v2/auth/generate_token', { userId: 'ada' }, headers)).token;
}

/** The reason why the user token is refused, or undefined if it is accepted. */
async function refusalOf(token: string): Promise<string | undefined> {
  const query = { organizationId: 'acme', userIds: ['ada'] };
  const answer = await server.call('/v2/users/get', query, { authorization: `Bearer ${token}` });
  return answer.status === 403 ? failureOf(answer).reason : undefined;
}

describe('workspace/authtoken/reset', () => {
  it('revokes earlier user tokens, and accepts later ones of the same second', async () => {
    const [apiKey, other] = [await createKey(), await createKey()];
    const [old, others] = [await userTokenOf(apiKey), await userTokenOf(other)];
    expect(await refusalOf(old)).toBeUndefined();
    await reset(apiKey);
    expect(await refusalOf(old)).toBe('TOKEN_REVOKED');
    expect(await refusalOf(others)).toBeUndefined();
    expect(await refusalOf(await userTokenOf(apiKey))).toBeUndefined();
    await reset(apiKey);
    expect(await refusalOf(old)).toBe('TOKEN_REVOKED');
  });

  it('creates a new token and revokes the old one at once, for that key only', async () => {
    const [apiKey, other] = [await createKey(), await createKey()];
    const [before, [{ token: old }]] = [await get(other), (await get(apiKey)).authTokens];
    const answer = await reset(apiKey);
    expect(answer).toEqual({
      apiKey,
      newAuthToken: { token: expect.stringMatching(/^[\w-]{43}$/), name: '', domains: [] },
    });
    expect(await works(apiKey, old)).toBe(false);
    expect(await works(apiKey, answer.newAuthToken.token)).toBe(true);
    expect((await get(apiKey)).authTokens).toEqual([answer.newAuthToken]);
    expect(await get(other)).toEqual(before);
  });

  it('creates the first token of a key that was created without one', async () => {
    const apiKey = await createKey(false);
    expect(await get(apiKey)).toEqual({ apiKey, authTokens: [] });
    const { newAuthToken } = await reset(apiKey);
    expect(await works(apiKey, newAuthToken.token)).toBe(true);
  });

  it('leaves exactly one token under concurrency', async () => {
    const apiKey = await createKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => reset(apiKey)));
    const { authTokens } = await get(apiKey);
    expect(authTokens).toHaveLength(1);
    expect(answers.map(({ newAuthToken }) => newAuthToken)).toContainEqual(authTokens[0]);
  });
});

describe.each([
  ['authtokens/get', {}],
  ['authtoken/reset', {}],
  ['apikey/update', { apiKeyName: 'Mine' }],
])('workspace/%s', (path, data) => {
  it("gives the same answer for another workspace's key as for an unknown one", async () => {
    const headers = await createWorkspace(server);
    const ask = (apiKey: string) =>
      server.call(`/v2/workspace/${path}`, { apiKey, ...data }, headers);
    const [others, missing] = [await ask(await createKey()), await ask('no')];
    expect(failureOf(others)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
    expect(JSON.stringify(others.body)).toBe(JSON.stringify(missing.body));
  });
});

describe('workspace/apikey/update', () => {
  const update = async (apiKey: string, change: object) =>
    dataOf(
      await server.call(
        '/v2/workspace/apikey/update',
        { apiKey, ...change },
        server.workspaceHeaders,
      ),
    );
  const disable = (apiKey: string, disabled: boolean) => update(apiKey, { disabled });

  it('disables a key with all its tokens, and enables it with the same tokens', async () => {
    const apiKey = await createKey();
    const [{ token }] = (await get(apiKey)).authTokens;
    const ofUser = await userTokenOf(apiKey);
    await disable(apiKey, true);
    const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
    expect(failureOf(await server.call('/v2/events/get', {}, headers))).toEqual({
      http: 403,
      status: 'PERMISSION_DENIED',
      reason: 'API_KEY_DISABLED',
    });
    expect(await refusalOf(ofUser)).toBe('API_KEY_DISABLED');
    await disable(apiKey, false);
    expect(await works(apiKey, token)).toBe(true);
    expect(await refusalOf(ofUser)).toBeUndefined();
  });

  it('reveals that a key is disabled only to holders of its tokens', async () => {
    const apiKey = await createKey();
    await disable(apiKey, true);
    const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': 'guess' };
    const unknown = { 'x-svc-api-key': 'none', 'x-svc-auth-token': 'guess' };
    const [wrong, missing] = [
      await server.call('/v2/events/get', {}, headers),
      await server.call('/v2/events/get', {}, unknown),
    ];
    expect(JSON.stringify(wrong.body)).toBe(JSON.stringify(missing.body));
  });

  it('renames a key, returns null, and shows which keys are disabled', async () => {
    const apiKey = await createKey();
    const list = async () =>
      dataOf(
        await server.call(
          '/v2/workspace/apikeys/get',
          { apiKeys: [apiKey] },
          server.workspaceHeaders,
        ),
      );
    expect(await update(apiKey, { apiKeyName: 'Renamed' })).toBeNull();
    const renamed = { id: apiKey, apiKeyName: 'Renamed', type: 'testing' };
    expect(await list()).toEqual([renamed]);
    await disable(apiKey, true);
    expect(await list()).toEqual([{ ...renamed, disabled: true }]);
    await disable(apiKey, false);
    expect(await list()).toEqual([renamed]);
  });

  it('refuses an update without a field', async () => {
    const answer = await call('apikey/update', await createKey());
    expect(failureOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  });
});

describe('workspace/token/reset', () => {
  it('replaces the workspace token, and keeps those of its keys', async () => {
    const owner = { ownerEmail: 'ada@example.com' };
    const created = dataOf(await server.call('/v2/workspace/create', owner, server.adminHeaders));
    const headers = (token: string) => ({
      'x-svc-workspace-id': created.id,
      'x-svc-workspace-auth-token': token,
    });
    const [apiKey = ''] = Object.keys(created.apiKeyList);
    const before = dataOf(await call('authtokens/get', apiKey, headers(created.authToken)));
    const answer = await server.call('/v2/workspace/token/reset', {}, headers(created.authToken));
    const { id, authToken } = dataOf(answer);
    expect(id).toBe(created.id);
    expect(
      failureOf(await call('authtokens/get', apiKey, headers(created.authToken))),
    ).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
    expect(dataOf(await call('authtokens/get', apiKey, headers(authToken)))).toEqual(before);
    expect(await works(apiKey, before.authTokens[0].token)).toBe(true);
  });
});

describe('a user token', () => {
  const clientOf = (token: string) =>
    createTrpcClient({ url: server.url, headers: { authorization: `Bearer ${token}` } });
  const reasonOnTrpc = (token: string) =>
    clientOf(token)
      .users.get.query({ organizationId: 'acme' })
      .then(
        () => undefined,
        ({ data }) => [data.status, data.details.reason],
      );

  it('is refused with its reason, over REST and tRPC', async () => {
    const { secrets, clock } = server.app.services;
    const { apiKey } = server.quickstart;
    const longAgo = { now: () => clock.now() - 49 * 60 * 60_000 };
    const user = { tenantId: apiKey, userId: 'ada', era: '0.' };
    const reasons = {
      TOKEN_EXPIRED: await signUserToken(secrets, longAgo, user),
      TOKEN_REVOKED: await signUserToken(secrets, clock, { ...user, userId: 'nobody' }),
      TOKEN_INVALID: await signUserToken(secrets, clock, { ...user, tenantId: 'of-another' }),
    };
    for (const [reason, token] of [...Object.entries(reasons), ['TOKEN_INVALID', 'forged']]) {
      expect(await refusalOf(token ?? '')).toBe(reason);
      expect(await reasonOnTrpc(token ?? '')).toEqual(['PERMISSION_DENIED', reason]);
    }
  });
});
