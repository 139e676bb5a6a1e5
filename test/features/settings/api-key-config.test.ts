import { beforeAll, describe, expect, it } from 'vitest';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

type Headers = Record<string, string>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const DEFAULTS = {
  enablePrivateComments: false,
  requireAutoOrgUser: false,
  defaultDocumentAccessType: 'public',
  defaultAccessRole: 'editor',
  commentAccess: 'editors',
  advancedQueries: true,
  allowUserRewrites: false,
  requireAttachmentApproval: false,
  aiModelApiKey: [],
};
const LONG_KEY = 'sk-proj-abcdefghijklmnopa1b2';

const get = async (headers: Headers) =>
  (await server.call('/v2/workspace/apikeyconfig/get', {}, headers)).body.result.data;
const update = async (headers: Headers, data: object) =>
  (await server.call('/v2/workspace/apikeyconfig/update', data, headers)).body;

/** Two keys in their own workspace, because provider keys are shared in a workspace. */
async function createKeys(): Promise<[Headers, Headers]> {
  const created = await server.call(
    '/v2/workspace/create',
    { ownerEmail: 'ada@example.com' },
    server.adminHeaders,
  );
  const { id, authToken } = created.body.result.data;
  const workspaceHeaders = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
  const own = { ...server, workspaceHeaders };
  return [await createTenant(own), await createTenant(own)];
}

describe('workspace/apikeyconfig', () => {
  it('has defaults for all fields', async () => {
    const [headers] = await createKeys();
    expect(await get(headers)).toEqual(DEFAULTS);
  });

  it.each([
    { enablePrivateComments: true },
    { requireAutoOrgUser: true },
    { defaultDocumentAccessType: 'restricted' },
    { defaultAccessRole: 'viewer' },
    { commentAccess: 'viewers' },
    { allowUserRewrites: true },
    { requireAttachmentApproval: true },
    { advancedQueries: false },
  ])('changes by %j nothing else, and for this key only', async (change) => {
    const [headers, other] = await createKeys();
    const { result } = await update(headers, change);
    expect(result.data).toEqual({ ...DEFAULTS, ...change });
    expect(await get(headers)).toEqual(result.data);
    expect(await get(other)).toEqual(DEFAULTS);
  });

  it('applies to the access type of new documents', async () => {
    const [headers] = await createKeys();
    const organizationId = 'acme';
    const documents = (verb: string, data: object) =>
      server.call(`/v2/organizations/documents/${verb}`, { organizationId, ...data }, headers);
    await update(headers, { defaultDocumentAccessType: 'restricted' });
    await documents('add', { createOrganization: true, documents: [{ documentId: 'd' }] });
    const [document] = (await documents('get', {})).body.result.data;
    expect(document.accessType).toBe('restricted');
  });

  it.each([
    ['/v2/organizations/documents/get', {}],
    ['/v2/organizations/folders/add', { folders: [{ folderId: 'f' }] }],
    ['/v1/organizations/folders/update', { folders: [{ folderId: 'f' }] }],
    ['/v2/notifications/get', { userId: 'ada' }],
  ])('applies to %s, which requires advanced queries', async (path, data) => {
    const [headers] = await createKeys();
    await update(headers, { advancedQueries: false });
    const { error } = (await server.call(path, { organizationId: 'acme', ...data }, headers)).body;
    expect(error.status).toBe('FAILED_PRECONDITION');
  });

  it('applies to the role of users who are added without one', async () => {
    const [headers] = await createKeys();
    const place = { organizationId: 'acme' };
    const users = async (data: object) =>
      server.call('/v1/users/add', { ...place, ...data }, headers);
    await users({ users: [{ userId: 'before' }] });
    await update(headers, { defaultAccessRole: 'viewer', requireAutoOrgUser: true });
    await users({ users: [{ userId: 'before', name: 'Bea' }, { userId: 'added' }] });
    await users({ users: [{ userId: 'named', accessRole: 'editor' }] });
    const resources = [{ type: 'organization', id: 'acme' }];
    const permissions = { user: { userId: 'given' }, permissions: { resources } };
    await server.call('/v2/auth/permissions/add', permissions, headers);
    const token = { userId: 'joined', organizations: ['acme'] };
    await server.call('/v2/auth/generate_token', token, headers);
    const listed = await server.call('/v2/users/get', place, headers);
    const roles = listed.body.result.data.map((user: Record<string, string>) => [
      user.userId,
      user.accessRole,
    ]);
    expect(Object.fromEntries(roles)).toEqual({
      before: 'editor',
      added: 'viewer',
      named: 'editor',
      given: 'viewer',
      joined: 'viewer',
    });
  });

  it.each([
    {},
    { aiModelApiKey: [] },
    { aiModelApiKey: [{ provider: 'acme', customerApiKey: LONG_KEY }] },
    { aiModelApiKey: [{ provider: 'openai' }] },
    { aiModelApiKey: [{ provider: 'openai', customerApiKey: 'two words' }] },
    { enablePrivateComments: true, aiModelApiKey: [{ provider: 'openai', customerApiKey: 'ü' }] },
    { defaultDocumentAccessType: null },
    { defaultAccessRole: 'owner' },
    { commentAccess: 'viewer' },
    { allowUserRewrites: 'true' },
  ])('refuses %j and changes nothing', async (change) => {
    const [headers] = await createKeys();
    expect((await update(headers, change)).error.status).toBe('INVALID_ARGUMENT');
    expect(await get(headers)).toEqual(DEFAULTS);
  });

  it('applies both of two concurrent partial updates', async () => {
    const [headers] = await createKeys();
    const changes = [
      { enablePrivateComments: true },
      { requireAutoOrgUser: true },
      { defaultDocumentAccessType: 'organizationPrivate' },
      { defaultAccessRole: 'viewer' },
      { commentAccess: 'viewers' },
      { allowUserRewrites: true },
      { requireAttachmentApproval: true },
      { advancedQueries: false },
    ];
    await Promise.all(changes.map((change) => update(headers, change)));
    expect(await get(headers)).toEqual(Object.assign({ aiModelApiKey: [] }, ...changes));
  });
});

describe('keys of model providers', () => {
  const masked = (provider: string, customerApiKey: string) => ({ provider, customerApiKey });

  it('are always returned masked', async () => {
    const [headers] = await createKeys();
    const { result } = await update(headers, {
      aiModelApiKey: [
        { provider: 'openai', customerApiKey: LONG_KEY },
        { provider: 'gemini', customerApiKey: 'AIza-0123456789-0123456789-wxyz' },
        { provider: 'anthropic', customerApiKey: 'sk-short' },
      ],
    });
    const expected = [
      masked('anthropic', '…'),
      masked('gemini', '…wxyz'),
      masked('openai', 'sk-…a1b2'),
    ];
    expect(result.data.aiModelApiKey).toEqual(expected);
    expect((await get(headers)).aiModelApiKey).toEqual(expected);
  });

  it('are shared by the API keys of a workspace, and hidden from other workspaces', async () => {
    const [headers, sibling] = await createKeys();
    const [stranger] = await createKeys();
    await update(headers, { aiModelApiKey: [{ provider: 'openai', customerApiKey: LONG_KEY }] });
    expect((await get(sibling)).aiModelApiKey).toEqual([masked('openai', 'sk-…a1b2')]);
    expect((await get(stranger)).aiModelApiKey).toEqual([]);
  });

  it('are replaced by provider, with the last of a batch, and deleted by an empty value', async () => {
    const [headers] = await createKeys();
    const set = async (aiModelApiKey: object[]) =>
      (await update(headers, { aiModelApiKey })).result.data.aiModelApiKey;
    await set([{ provider: 'gemini', customerApiKey: LONG_KEY }]);
    const both = await set([
      { provider: 'openai', customerApiKey: 'x'.repeat(30) },
      { provider: 'openai', customerApiKey: LONG_KEY },
    ]);
    expect(both).toEqual([masked('gemini', 'sk-…a1b2'), masked('openai', 'sk-…a1b2')]);
    const one = await set([{ provider: 'gemini', customerApiKey: '' }]);
    expect(one).toEqual([masked('openai', 'sk-…a1b2')]);
  });

  it('are all stored when several API keys set them concurrently', async () => {
    const [headers, sibling] = await createKeys();
    const answers = await Promise.all(
      ['openai', 'anthropic', 'gemini', 'openai'].map((provider, at) =>
        update(at % 2 ? headers : sibling, {
          aiModelApiKey: [
            { provider, customerApiKey: LONG_KEY },
            { provider: 'gemini', customerApiKey: at % 2 ? '' : LONG_KEY },
          ],
        }),
      ),
    );
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
    const providers = (await get(headers)).aiModelApiKey.map(
      ({ provider }: { provider: string }) => provider,
    );
    expect(providers).toEqual(expect.arrayContaining(['anthropic', 'openai']));
  });
});

describe('workspace/apikey/update', () => {
  const rename = (data: object, headers = server.workspaceHeaders) =>
    server.call('/v2/workspace/apikey/update', data, headers);

  it('renames the key and returns null', async () => {
    const { apiKey } = server.quickstart;
    expect((await rename({ apiKey, apiKeyName: 'Renamed' })).body).toEqual({
      result: { status: 'success', message: 'API key updated successfully.', data: null },
    });
    const keys = await server.call(
      '/v2/workspace/apikeys/get',
      { apiKeys: [apiKey] },
      server.workspaceHeaders,
    );
    expect(keys.body.result.data).toEqual([{ id: apiKey, apiKeyName: 'Renamed', type: 'testing' }]);
  });

  it("gives the same NOT_FOUND for another workspace's key as for an unknown one", async () => {
    const [others] = await createKeys();
    const apiKey = others['x-svc-api-key'];
    const [foreign, missing] = [
      await rename({ apiKey, apiKeyName: 'Mine' }),
      await rename({ apiKey: 'none', apiKeyName: 'Mine' }),
    ];
    expect(foreign).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
    expect(foreign.body).toEqual(missing.body);
  });
});
