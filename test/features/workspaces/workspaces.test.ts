import { describe, expect, it } from 'vitest';
import { failureOf, type Loose } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });

const OWNER = { ownerEmail: 'ada@example.com' };
const create = (data: object = {}): Promise<Loose> =>
  server.ok('/v2/workspace/create', { ...OWNER, ...data }, server.adminHeaders);
const update = (data: object) => server.call('/v2/workspace/update', data, server.adminHeaders);
const call = (operation: string, data: object, { id, authToken }: Loose) =>
  server.call(`/v2/workspace/${operation}`, data, {
    'x-svc-workspace-id': id,
    'x-svc-workspace-auth-token': authToken,
  });
const ok = async (operation: string, data: object, workspace: Loose) => {
  const { body } = await call(operation, data, workspace);
  return body.result.data;
};
const statusOf = async (...args: Parameters<typeof call>) => failureOf(await call(...args)).status;

describe('workspace/create', () => {
  it('creates a workspace with one testing key, whose credentials work', async () => {
    const workspace = await create({ name: 'Ada Lovelace', workspaceName: 'Acme' });
    const [apiKey = ''] = Object.keys(workspace.apiKeyList);
    expect(workspace).toEqual({
      id: expect.stringMatching(/^\w{20}$/),
      name: 'Acme',
      owner: { email: 'ada@example.com', name: 'Ada Lovelace' },
      authToken: expect.stringMatching(/^[\w-]{43}$/),
      apiKeyList: { [apiKey]: { id: apiKey, apiKeyName: expect.any(String), type: 'testing' } },
    });
    const { authTokens } = await ok('authtokens/get', { apiKey }, workspace);
    const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authTokens[0].token };
    expect((await server.ok('/v2/events/get', {}, headers)).events).toEqual([]);
  });
});

describe('workspace/get', () => {
  it('returns what workspace/create returned without the auth token, with new keys', async () => {
    const { authToken, ...created } = await create();
    const name = 'ada@example.com';
    expect(created).toMatchObject({ name: expect.stringContaining(name), owner: { name } });
    const workspace = { id: created.id, authToken };
    expect(await ok('get', {}, workspace)).toEqual(created);
    const input = { ...OWNER, type: 'testing', apiKeyName: 'Second' };
    const { apiKey: id } = await ok('apikey/create', input, workspace);
    const { apiKeyList } = await ok('get', {}, workspace);
    const second = { id, apiKeyName: 'Second', type: 'testing' };
    expect(apiKeyList).toEqual({ ...created.apiKeyList, [id]: second });
  });

  it("refuses another workspace's token and an unknown workspace in the same words", async () => {
    const authToken = server.quickstart.workspaceAuthToken;
    const wrong = await call('get', {}, { id: (await create()).id, authToken });
    expect(wrong.status).toBe(403);
    expect(wrong.body).toEqual((await call('get', {}, { id: 'unknown', authToken })).body);
  });
});

describe('workspace/update', () => {
  /** Adds a production key, and returns the status of the refusal; undefined after a success. */
  const refusalOfKey = (workspace: Loose) =>
    statusOf('apikey/create', { ...OWNER, type: 'production' }, workspace);

  it('applies from the next call on to this workspace, returns it, and keeps fields that are not given', async () => {
    const workspace = await create();
    const { authToken: _, ...shown } = workspace;
    const settings = [
      { plan: 'paid' },
      { selfServeProductionKeys: true },
      { maxProductionKeys: 1 },
    ];
    for (const change of [...settings, {}]) {
      const { body } = await update({ workspaceId: workspace.id, ...change });
      expect(body.result.data).toEqual(shown);
    }
    expect(await refusalOfKey(workspace)).toBeUndefined();
    expect(await refusalOfKey(workspace)).toBe('RESOURCE_EXHAUSTED');
    expect(await refusalOfKey(await create())).toBe('PERMISSION_DENIED');
    const workspaceId = workspace.id;
    await update({ workspaceId, plan: 'free' });
    expect(await refusalOfKey(workspace)).toBe('FAILED_PRECONDITION');
    await update({ workspaceId, selfServeProductionKeys: false });
    expect(await refusalOfKey(workspace)).toBe('PERMISSION_DENIED');
    const unknown = await update({ workspaceId: 'unknown', plan: 'paid' });
    expect(failureOf(unknown)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  });
});

it('workspace/token/reset replaces the workspace token, and keeps those of its keys', async () => {
  const workspace = await create();
  const [apiKey = ''] = Object.keys(workspace.apiKeyList);
  const before = await ok('authtokens/get', { apiKey }, workspace);
  const reset = await ok('token/reset', {}, workspace);
  expect(reset.id).toBe(workspace.id);
  expect(await statusOf('authtokens/get', { apiKey }, workspace)).toBe('PERMISSION_DENIED');
  expect(await ok('authtokens/get', { apiKey }, reset)).toEqual(before);
  const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': before.authTokens[0].token };
  await server.ok('/v2/events/get', {}, headers);
});
