import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf } from '../support/answers.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

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
  it('shows the tokens of the key, as often as one asks', async () => {
    const apiKey = await createKey();
    const first = await get(apiKey);
    expect(first).toEqual({
      apiKey,
      authTokens: [{ token: expect.stringMatching(/^[\w-]{43}$/), name: '', domains: [] }],
    });
    expect(await get(apiKey)).toEqual(first);
    expect(await works(apiKey, first.authTokens[0].token)).toBe(true);
  });

  it('shows none for a key that was made without', async () => {
    const apiKey = await createKey(false);
    expect(await get(apiKey)).toEqual({ apiKey, authTokens: [] });
  });
});

describe('workspace/authtoken/reset', () => {
  it('makes a new token, and ends the old one at once', async () => {
    const apiKey = await createKey();
    const [{ token: old }] = (await get(apiKey)).authTokens;
    const answer = await reset(apiKey);
    expect(answer).toEqual({
      apiKey,
      newAuthToken: { token: expect.stringMatching(/^[\w-]{43}$/), name: '', domains: [] },
    });
    expect(await works(apiKey, old)).toBe(false);
    expect(await works(apiKey, answer.newAuthToken.token)).toBe(true);
    expect((await get(apiKey)).authTokens).toEqual([answer.newAuthToken]);
  });

  it('gives a first token to a key that was made without', async () => {
    const apiKey = await createKey(false);
    const { newAuthToken } = await reset(apiKey);
    expect(await works(apiKey, newAuthToken.token)).toBe(true);
  });

  it('leaves exactly one token, however many callers reset at once', async () => {
    const apiKey = await createKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => reset(apiKey)));
    const { authTokens } = await get(apiKey);
    expect(authTokens).toHaveLength(1);
    expect(answers.map(({ newAuthToken }) => newAuthToken)).toContainEqual(authTokens[0]);
  });

  it('leaves the tokens of other keys alone', async () => {
    const [apiKey, other] = [await createKey(), await createKey()];
    const before = await get(other);
    await reset(apiKey);
    expect(await get(other)).toEqual(before);
  });
});

describe.each(['authtokens/get', 'authtoken/reset'])('workspace/%s', (path) => {
  it("answers the same for another workspace's key as for one that does not exist", async () => {
    const apiKey = await createKey();
    const owner = { ownerEmail: 'eve@example.com' };
    const eve = dataOf(await server.call('/v2/workspace/create', owner, server.adminHeaders));
    const headers = { 'x-svc-workspace-id': eve.id, 'x-svc-workspace-auth-token': eve.authToken };
    const [others, missing] = [await call(path, apiKey, headers), await call(path, 'no', headers)];
    expect(failureOf(others)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
    expect(JSON.stringify(others.body)).toBe(JSON.stringify(missing.body));
    expect((await get(apiKey)).authTokens).toHaveLength(1);
  });
});
