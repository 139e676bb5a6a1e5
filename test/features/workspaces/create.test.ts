import { describe, expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const create = async (data: object) =>
  dataOf(await server.call('/v2/workspace/create', data, server.adminHeaders));
const headersOf = (workspace: { id: string; authToken: string }) => ({
  'x-svc-workspace-id': workspace.id,
  'x-svc-workspace-auth-token': workspace.authToken,
});
const get = (headers: Record<string, string>) => server.call('/v2/workspace/get', {}, headers);

describe('workspace/create', () => {
  it('creates a workspace with one testing key, and returns nothing else', async () => {
    const workspace = await create({
      ownerEmail: 'ada@example.com',
      name: 'Ada Lovelace',
      workspaceName: 'Acme',
    });
    const [apiKey = ''] = Object.keys(workspace.apiKeyList);
    expect(workspace).toEqual({
      id: expect.stringMatching(/^\w{20}$/),
      name: 'Acme',
      owner: { email: 'ada@example.com', name: 'Ada Lovelace' },
      authToken: expect.stringMatching(/^[\w-]{43}$/),
      apiKeyList: { [apiKey]: { id: apiKey, apiKeyName: expect.any(String), type: 'testing' } },
    });
  });

  it('requires only the owner', async () => {
    const workspace = await create({ ownerEmail: 'ada@example.com' });
    expect(workspace).toMatchObject({
      name: expect.stringContaining('ada@example.com'),
      owner: { email: 'ada@example.com', name: 'ada@example.com' },
    });
  });

  it('returns working credentials, and the key has a working auth token', async () => {
    const workspace = await create({ ownerEmail: 'ada@example.com' });
    const [apiKey = ''] = Object.keys(workspace.apiKeyList);
    const path = '/v2/workspace/authtokens/get';
    const tokens = dataOf(await server.call(path, { apiKey }, headersOf(workspace)));
    const keyHeaders = {
      'x-svc-api-key': apiKey,
      'x-svc-auth-token': tokens.authTokens[0].token,
    };
    expect(dataOf(await server.call('/v2/events/get', {}, keyHeaders)).events).toEqual([]);
  });
});

describe('workspace/get', () => {
  it('returns the answer of workspace/create without the auth token', async () => {
    const { authToken, ...rest } = await create({ ownerEmail: 'ada@example.com', name: 'Ada' });
    expect(dataOf(await get(headersOf({ id: rest.id, authToken })))).toEqual(rest);
  });

  it("returns only the workspace's own keys", async () => {
    const workspace = await create({ ownerEmail: 'ada@example.com' });
    const input = { ownerEmail: 'ada@example.com', type: 'testing', apiKeyName: 'Second' };
    const path = '/v2/workspace/apikey/create';
    const { apiKey } = dataOf(await server.call(path, input, headersOf(workspace)));
    const { apiKeyList } = dataOf(await get(headersOf(workspace)));
    expect(apiKeyList).toEqual({
      ...workspace.apiKeyList,
      [apiKey]: { id: apiKey, apiKeyName: 'Second', type: 'testing' },
    });
  });

  it("refuses another workspace's token and an unknown workspace in the same words", async () => {
    const workspace = await create({ ownerEmail: 'ada@example.com' });
    const authToken = server.quickstart.workspaceAuthToken;
    const wrong = await get(headersOf({ id: workspace.id, authToken }));
    const unknown = await get(headersOf({ id: 'unknown', authToken }));
    expect(wrong.status).toBe(403);
    expect(wrong.body).toEqual(unknown.body);
  });
});
