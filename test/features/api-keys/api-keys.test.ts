import { beforeAll, describe, expect, it } from 'vitest';
import { signUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { failureOf, type Headers, invalid, type Loose } from '../../support/answers.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { testServer } from '../../support/server.ts';
import { createTrpcClient } from '../../support/trpc-client.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const server = testServer({ MAX_PRODUCTION_KEYS: '3' });

const TESTING = { ownerEmail: 'ada@example.com', type: 'testing' };
const PRODUCTION = { ...TESTING, type: 'production' };

const call = (operation: string, data: object, headers = server.workspaceHeaders) =>
  server.call(`/v2/workspace/${operation}`, data, headers);
const ok = (operation: string, data: object, headers = server.workspaceHeaders) =>
  server.ok(`/v2/workspace/${operation}`, data, headers);
const create = (data: object, headers?: Headers) => call('apikey/create', data, headers);
const createKey = async (more: object = {}, headers?: Headers): Promise<string> =>
  (await ok('apikey/create', { ...TESTING, createAuthToken: true, ...more }, headers)).apiKey;
const tokensOf = async (apiKey: string): Promise<Loose[]> =>
  (await ok('authtokens/get', { apiKey })).authTokens;
const reset = async (apiKey: string) => (await ok('authtoken/reset', { apiKey })).newAuthToken;

const headersOf = (apiKey: string, token: string) => ({
  'x-svc-api-key': apiKey,
  'x-svc-auth-token': token,
});
/** How the credentials fail; `http: 200` if they work. */
const failure = async (apiKey: string, token: string) =>
  failureOf(await server.call('/v2/events/get', {}, headersOf(apiKey, token)));

/** The reason why the user token is refused, or undefined if it is accepted. */
async function refusalOf(token: string): Promise<string | undefined> {
  const query = { organizationId: 'acme', userIds: ['ada'] };
  const answer = await server.call('/v2/users/get', query, { authorization: `Bearer ${token}` });
  return answer.status === 403 ? failureOf(answer).reason : undefined;
}

async function workspaceWith(settings: object = {}): Promise<Headers> {
  const headers = await createWorkspace(server);
  const update = { workspaceId: headers['x-svc-workspace-id'], ...settings };
  await ok('update', update, server.adminHeaders);
  return headers;
}

describe('workspace/apikey/create', () => {
  it('accepts every field of the specification', async () => {
    const answer = await ok('apikey/create', {
      ...{ ...TESTING, realtimeDBRegion: 'europe-west1', createAuthToken: true },
      apiKeyName: 'Staging',
      allowedDomains: ['https://app.example.com/path', '*.example.org'],
      addLocalHostToAllowedDomains: true,
      ...{ useEmailService: true, useWebhookService: true, useNotificationService: true },
      ...{ setDefaultNotificationTriggers: true, setDefaultEmailTriggers: true },
      ...{ requireAutoOrgUser: true, enablePrivateComments: true },
      emailServiceConfig: {
        ...{ type: 'default', apiKey: '', fromEmail: '', fromCompany: '' },
        ...{ commentTemplateId: '', tagTemplateId: '' },
      },
      webhookServiceConfig: { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' },
    });
    expect(answer).toEqual({ apiKey: expect.stringMatching(/^\w{20}$/) });
  });

  it('makes an auth token where it is asked for', async () => {
    const apiKey = await createKey();
    const tokens = await tokensOf(apiKey);
    const token = expect.stringMatching(/^[\w-]{43}$/);
    expect(tokens).toEqual([{ token, name: '', domains: [] }]);
    expect(await tokensOf(apiKey)).toEqual(tokens);
    expect((await failure(apiKey, tokens[0].token)).http).toBe(200);
    for (const createAuthToken of [false, undefined]) {
      expect(await tokensOf(await createKey({ createAuthToken }))).toEqual([]);
    }
  });

  it.each([
    ['ownerEmail', { ownerEmail: 'nobody' }],
    ['type', { type: 'Testing' }],
    ['allowedDomains[1]', { allowedDomains: ['example.com', 'no domain'] }],
    // Testing keys have no choice of persistence.
    ['persistenceDBRegion', { persistenceDBRegion: 'us-east1' }],
    ...['nam5', '', 'mars-north1', 'US-EAST1', null].map((realtimeDBRegion): [string, object] => [
      'realtimeDBRegion',
      { realtimeDBRegion },
    ]),
  ])('names %s as the problem', async (path, input) => {
    expect((await create({ ...TESTING, ...input })).body).toEqual(invalid(path));
  });
});

/** The regions that decisions section 5 lists. */
const REGIONS = `us-west1 us-west2 us-west3 us-west4 us-central1 us-east1 us-east4 us-east5
  us-south1 northamerica-northeast1 northamerica-northeast2 northamerica-south1 southamerica-east1
  southamerica-west1 europe-west1 europe-west2 europe-west3 europe-west4 europe-west6 europe-west8
  europe-west9 europe-west10 europe-west12 europe-southwest1 europe-north1 europe-north2
  europe-central2 me-central1 me-central2 me-west1 asia-south1 asia-south2 asia-southeast1
  asia-southeast2 asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3
  australia-southeast1 australia-southeast2 africa-south1`.split(/\s+/);

describe('production keys', () => {
  const free = { plan: 'paid', selfServeProductionKeys: true };

  it('accept every region of the list, and two more for persistence', async () => {
    const headers = await workspaceWith({ ...free, maxProductionKeys: 1000 });
    const inputs = REGIONS.map((region) => ({
      persistenceDBRegion: region,
      realtimeDBRegion: region,
    }));
    const more = ['nam5', 'eur3'].map((persistenceDBRegion) => ({ persistenceDBRegion }));
    for (const input of [...inputs, ...more]) await createKey({ ...PRODUCTION, ...input }, headers);
    const unknown = await create({ ...PRODUCTION, persistenceDBRegion: 'mars-north1' }, headers);
    expect(unknown.body).toEqual(invalid('persistenceDBRegion'));
  });

  it.each([
    [{}, 403, 'PERMISSION_DENIED'],
    [{ plan: 'paid' }, 403, 'PERMISSION_DENIED'],
    [{ selfServeProductionKeys: true, maxProductionKeys: 0 }, 400, 'FAILED_PRECONDITION'],
    [{ ...free, maxProductionKeys: 0 }, 429, 'RESOURCE_EXHAUSTED'],
  ])('in a workspace with %j: %i %s', async (settings, http, status) => {
    const headers = await workspaceWith(settings);
    expect(failureOf(await create(PRODUCTION, headers))).toMatchObject({ http, status });
  });

  it('never exceed MAX_PRODUCTION_KEYS', async () => {
    const headers = await workspaceWith(free);
    for (let number = 1; number <= 3; number++) await createKey(PRODUCTION, headers);
    expect(failureOf(await create(PRODUCTION, headers)).status).toBe('RESOURCE_EXHAUSTED');
    await createKey({}, headers);
  });

  it('are counted by one call after the other', async () => {
    const headers = await workspaceWith({ ...free, maxProductionKeys: 1 });
    // Another transaction holds up all calls until each of them waits for its turn to count.
    const other = await holdTransaction(
      server.databaseUrl,
      'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
      [headers['x-svc-workspace-id']],
    );
    const calls = [create(PRODUCTION, headers), create(PRODUCTION, headers)];
    await other.holdsUp(calls.length);
    await other.release();
    const statuses = (await Promise.all(calls)).map((answer) => failureOf(answer).status ?? 'made');
    expect(statuses.sort()).toEqual(['RESOURCE_EXHAUSTED', 'made']);
  });
});

describe('workspace/apikeys/get', () => {
  let headers: Headers;
  /** The ids of the workspace's seven keys, in the order of the listing. */
  let apiKeys: string[];
  beforeAll(async () => {
    headers = await createWorkspace(server);
    for (let number = 2; number <= 7; number++) {
      await createKey({ apiKeyName: `Key ${number}` }, headers);
    }
    apiKeys = (await get({})).map(({ id }) => id);
  });
  const get = (data: object, own = headers): Promise<Loose[]> => ok('apikeys/get', data, own);
  const idsOf = (keys: Loose[]) => keys.map(({ id }) => id);

  it('returns id, name and type of all keys, or of the named ones, in the order of ids', async () => {
    const { result } = (await call('apikeys/get', {}, headers)).body;
    expect(apiKeys).toEqual(apiKeys.toSorted());
    expect(result.data).toHaveLength(7);
    const named = { apiKeyName: expect.stringMatching(/^(Key \d|Testing)$/), type: 'testing' };
    for (const key of result.data) expect(key).toEqual({ id: expect.any(String), ...named });
    expect(result).not.toHaveProperty('nextPageToken');
    const requested = [apiKeys[4], 'unknown', apiKeys[1], apiKeys[1]];
    expect(idsOf(await get({ apiKeys: requested }))).toEqual([apiKeys[1], apiKeys[4]]);
    expect(idsOf(await get({ apiKeys: [] }))).toEqual(apiKeys);
  });

  it('returns each key once in pages, and refuses a page token of another query or workspace', async () => {
    const page = async (more: object) => (await call('apikeys/get', more, headers)).body.result;
    const first = await page({ pageSize: 3 });
    const { nextPageToken: pageToken } = first;
    const second = await page({ pageSize: 4, pageToken });
    expect(idsOf([...first.data, ...second.data])).toEqual(apiKeys);
    expect(second).not.toHaveProperty('nextPageToken');
    const other = await call('apikeys/get', { pageToken, apiKeys }, headers);
    expect(other.body).toEqual(invalid('pageToken'));
    expect((await call('apikeys/get', { pageToken })).body).toEqual(invalid('pageToken'));
  });
});

describe('workspace/authtoken/reset', () => {
  it('replaces the token at once, and affects no other key', async () => {
    const [apiKey, other] = [await createKey(), await createKey()];
    const [[{ token: old }], before] = [await tokensOf(apiKey), await tokensOf(other)];
    const created = await reset(apiKey);
    expect(await tokensOf(apiKey)).toEqual([created]);
    expect((await failure(apiKey, old)).http).toBe(403);
    expect((await failure(apiKey, created.token)).http).toBe(200);
    expect(await tokensOf(other)).toEqual(before);
  });

  it('creates the first token of a key that was created without one, and one under concurrency', async () => {
    const apiKey = await createKey({ createAuthToken: false });
    const created = await Promise.all(Array.from({ length: 6 }, () => reset(apiKey)));
    const tokens = await tokensOf(apiKey);
    expect(tokens).toHaveLength(1);
    expect(created).toContainEqual(tokens[0]);
    expect((await failure(apiKey, tokens[0].token)).http).toBe(200);
  });
});

it('an unknown key is NOT_FOUND', async () => {
  for (const path of ['authtokens/get', 'authtoken/reset', 'apikey/update']) {
    const answer = await call(path, { apiKey: 'no', apiKeyName: 'Mine' });
    expect(failureOf(answer)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  }
});

it('workspace/apikey/update renames, disables and enables a key, whose tokens stay', async () => {
  const apiKey = await createKey();
  const [{ token }] = await tokensOf(apiKey);
  const update = (change: object) => ok('apikey/update', { apiKey, ...change });
  const list = () => ok('apikeys/get', { apiKeys: [apiKey] });
  expect(await update({ apiKeyName: 'Renamed' })).toBeNull();
  const renamed = { id: apiKey, apiKeyName: 'Renamed', type: 'testing' };
  expect(await list()).toEqual([renamed]);
  await update({ disabled: true });
  expect(await list()).toEqual([{ ...renamed, disabled: true }]);
  const denied = { http: 403, status: 'PERMISSION_DENIED' };
  expect(await failure(apiKey, token)).toEqual({ ...denied, reason: 'API_KEY_DISABLED' });
  // Only holders of its tokens learn that it is disabled.
  expect(await failure(apiKey, 'guess')).toEqual(await failure('none', 'guess'));
  await update({ disabled: false });
  expect((await failure(apiKey, token)).http).toBe(200);
  const nothing = await call('apikey/update', { apiKey });
  expect(failureOf(nothing)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
});

it('a user token is refused with its reason, over REST and tRPC', async () => {
  const { secrets, clock } = server.app.services;
  const longAgo = { now: () => clock.now() - 49 * 60 * 60_000 };
  const user = { tenantId: server.quickstart.apiKey, userId: 'ada', era: '0.' };
  const tokens = {
    expired: await signUserToken(secrets, longAgo, user),
    revoked: await signUserToken(secrets, clock, { ...user, userId: 'nobody' }),
    invalid: await signUserToken(secrets, clock, { ...user, tenantId: 'of-another' }),
  };
  for (const [name, token] of [...Object.entries(tokens), ['invalid', 'forged']] as const) {
    const reason = `TOKEN_${name.toUpperCase()}`;
    expect(await refusalOf(token)).toBe(reason);
    const headers = { authorization: `Bearer ${token}` };
    const { users } = createTrpcClient({ url: server.url, headers });
    await expect(users.get.query({ organizationId: 'acme' })).rejects.toMatchObject({
      data: { status: 'PERMISSION_DENIED', details: { reason } },
    });
  }
});
