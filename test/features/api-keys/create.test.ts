import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, invalid } from '../../support/answers.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ MAX_PRODUCTION_KEYS: '3' });
});

const TESTING = { ownerEmail: 'ada@example.com', type: 'testing' };
/** The regions that decisions section 5 lists. */
const REALTIME_REGIONS = `us-west1 us-west2 us-west3 us-west4 us-central1 us-east1 us-east4 us-east5
  us-south1 northamerica-northeast1 northamerica-northeast2 northamerica-south1 southamerica-east1
  southamerica-west1 europe-west1 europe-west2 europe-west3 europe-west4 europe-west6 europe-west8
  europe-west9 europe-west10 europe-west12 europe-southwest1 europe-north1 europe-north2
  europe-central2 me-central1 me-central2 me-west1 asia-south1 asia-south2 asia-southeast1
  asia-southeast2 asia-east1 asia-east2 asia-northeast1 asia-northeast2 asia-northeast3
  australia-southeast1 australia-southeast2 africa-south1`.split(/\s+/);
const PERSISTENCE_REGIONS = [...REALTIME_REGIONS, 'nam5', 'eur3'];

const PRODUCTION = { ownerEmail: 'ada@example.com', type: 'production' };

const create = (data: object, headers = server.workspaceHeaders) =>
  server.call('/v2/workspace/apikey/create', data, headers);

async function tokensOf(apiKey: string, headers = server.workspaceHeaders) {
  return dataOf(await server.call('/v2/workspace/authtokens/get', { apiKey }, headers)).authTokens;
}

/** Creates a key in the test's workspace, and returns the headers for its calls. */
async function createUsable(data: object) {
  const { apiKey } = dataOf(await create({ ...TESTING, createAuthToken: true, ...data }));
  const [{ token }] = await tokensOf(apiKey);
  return { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
}

async function createWorkspace(settings: object = {}) {
  const owner = { ownerEmail: 'ada@example.com' };
  const created = dataOf(await server.call('/v2/workspace/create', owner, server.adminHeaders));
  const { id, authToken } = created;
  const update = { workspaceId: id, ...settings };
  dataOf(await server.call('/v2/workspace/update', update, server.adminHeaders));
  return { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
}

describe('workspace/apikey/create', () => {
  it('returns only the key', async () => {
    const { body } = await create(TESTING);
    expect(body).toEqual({
      result: {
        status: 'success',
        message: 'API key created successfully.',
        data: { apiKey: expect.stringMatching(/^\w{20}$/) },
      },
    });
  });

  it('accepts every field of the specification', async () => {
    const answer = await create({
      ...TESTING,
      realtimeDBRegion: 'europe-west1',
      createAuthToken: true,
      apiKeyName: 'Staging',
      allowedDomains: ['https://app.example.com/path', '*.example.org'],
      addLocalHostToAllowedDomains: true,
      useEmailService: true,
      useWebhookService: true,
      useNotificationService: true,
      setDefaultNotificationTriggers: true,
      setDefaultEmailTriggers: true,
      requireAutoOrgUser: true,
      enablePrivateComments: true,
      emailServiceConfig: {
        type: 'external',
        apiKey: 'SG.secret',
        fromEmail: 'team@example.com',
        fromCompany: 'Acme',
        commentTemplateId: 'c-1',
        tagTemplateId: 't-1',
      },
      webhookServiceConfig: {
        authToken: 'secret',
        rawNotificationUrl: 'https://example.com/raw',
        processedNotificationUrl: 'https://example.com/processed',
      },
    });
    expect(dataOf(answer)).toEqual({ apiKey: expect.any(String) });
  });

  it('accepts the defaults of 2.3 and 2.4, also empty strings', async () => {
    const emailServiceConfig = {
      type: 'default',
      apiKey: '',
      fromEmail: '',
      fromCompany: '',
      commentTemplateId: '',
      tagTemplateId: '',
    };
    const webhookServiceConfig = {
      authToken: '',
      rawNotificationUrl: '',
      processedNotificationUrl: '',
    };
    dataOf(await create({ ...TESTING, emailServiceConfig, webhookServiceConfig }));
  });

  it.each([
    [{ createAuthToken: true }, 1],
    [{ createAuthToken: false }, 0],
    [{}, 0],
  ])('with %j makes a key with %i auth tokens', async (input, count) => {
    const { apiKey } = dataOf(await create({ ...TESTING, ...input }));
    expect(await tokensOf(apiKey)).toHaveLength(count);
  });

  it.each(['createAuthToken', 'useEmailService', 'enablePrivateComments', 'requireAutoOrgUser'])(
    'refuses a %s that is not a boolean',
    async (field) => {
      expect((await create({ ...TESTING, [field]: 'true' })).body).toEqual(invalid(field));
    },
  );

  it.each([
    ['ownerEmail', { type: 'testing' }],
    ['ownerEmail', { ...TESTING, ownerEmail: 'nobody' }],
    ['ownerEmail', { ...TESTING, ownerEmail: '' }],
    ['type', { ownerEmail: 'ada@example.com' }],
    ['type', { ...TESTING, type: 'staging' }],
    ['type', { ...TESTING, type: 'Testing' }],
    ['allowedDomains[1]', { ...TESTING, allowedDomains: ['example.com', 'no domain'] }],
    ['emailServiceConfig.type', { ...TESTING, emailServiceConfig: { type: 'sendmail' } }],
    ['emailServiceConfig.fromEmail', { ...TESTING, emailServiceConfig: { fromEmail: 'nobody' } }],
  ])('names %s as the problem of %j', async (path, input) => {
    expect((await create(input)).body).toEqual(invalid(path));
  });

  it.each([
    'ftp://example.com',
    'example.com',
    'https://',
    'https://example.com/\0',
    'https://example.com/\ud800',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses %j as the URL of a webhook', async (rawNotificationUrl) => {
    const answer = await create({ ...TESTING, webhookServiceConfig: { rawNotificationUrl } });
    expect(answer.body).toEqual(invalid('webhookServiceConfig.rawNotificationUrl'));
  });

  it('reports every problem of the input', async () => {
    const { body } = await create({ ownerEmail: 5, type: 'x', allowedDomains: [7] });
    const paths = body.error.details.issues.map((issue: { path: string }) => issue.path);
    expect(paths.sort()).toEqual(['allowedDomains[0]', 'ownerEmail', 'type']);
  });
});

describe('regions', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    headers = await createWorkspace({
      plan: 'paid',
      selfServeProductionKeys: true,
      maxProductionKeys: 1000,
    });
  });

  it('accepts every region of the list', async () => {
    const inputs = [
      ...PERSISTENCE_REGIONS.map((region) => ({ ...PRODUCTION, persistenceDBRegion: region })),
      ...REALTIME_REGIONS.map((region) => ({ ...PRODUCTION, realtimeDBRegion: region })),
    ];
    const answers = await Promise.all(inputs.map((input) => create(input, headers)));
    expect(answers.map(({ status }) => status)).toEqual(inputs.map(() => 200));
  });

  it.each(['nam5', 'eur3'])('accepts %s for persistence only', async (region) => {
    dataOf(await create({ ...PRODUCTION, persistenceDBRegion: region }, headers));
    const answer = await create({ ...PRODUCTION, realtimeDBRegion: region }, headers);
    expect(answer.body).toEqual(invalid('realtimeDBRegion'));
  });

  it.each(['', 'mars-north1', 'US-EAST1', null])('refuses %j', async (region) => {
    const persistence = await create({ ...PRODUCTION, persistenceDBRegion: region }, headers);
    expect(persistence.body).toEqual(invalid('persistenceDBRegion'));
    const realtime = await create({ ...TESTING, realtimeDBRegion: region }, headers);
    expect(realtime.body).toEqual(invalid('realtimeDBRegion'));
  });

  it('of a testing key apply to realtime, not to persistence', async () => {
    dataOf(await create({ ...TESTING, realtimeDBRegion: 'us-east1' }));
    const answer = await create({ ...TESTING, persistenceDBRegion: 'us-east1' });
    expect(answer.body).toEqual(invalid('persistenceDBRegion'));
  });
});

describe('production keys', () => {
  it.each([
    [{}, 403, 'PERMISSION_DENIED'],
    [{ plan: 'paid' }, 403, 'PERMISSION_DENIED'],
    [{ maxProductionKeys: 0 }, 403, 'PERMISSION_DENIED'],
    [{ selfServeProductionKeys: true }, 400, 'FAILED_PRECONDITION'],
    [{ selfServeProductionKeys: true, maxProductionKeys: 0 }, 400, 'FAILED_PRECONDITION'],
    [
      { selfServeProductionKeys: true, plan: 'paid', maxProductionKeys: 0 },
      429,
      'RESOURCE_EXHAUSTED',
    ],
  ])('in a workspace with %j: %i %s', async (settings, http, status) => {
    const headers = await createWorkspace(settings);
    expect(failureOf(await create(PRODUCTION, headers))).toMatchObject({ http, status });
  });

  it("are refused with the input's problem first when it is malformed", async () => {
    const answer = await create({ ...PRODUCTION, ownerEmail: 'x' }, await createWorkspace());
    expect(answer.body).toEqual(invalid('ownerEmail'));
  });

  it('never exceed MAX_PRODUCTION_KEYS, also under concurrency', async () => {
    const headers = await createWorkspace({ plan: 'paid', selfServeProductionKeys: true });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(PRODUCTION, headers)));
    const statuses = answers.map((answer) => failureOf(answer).status ?? 'made');
    expect(statuses.sort()).toEqual([
      ...Array(5).fill('RESOURCE_EXHAUSTED'),
      ...Array(3).fill('made'),
    ]);
    dataOf(await create(TESTING, headers));
  });
});

describe('allowed domains of a new key', () => {
  const ask = async (keyHeaders: Record<string, string>, origin?: string) => {
    const headers = { ...keyHeaders, ...(origin !== undefined && { origin }) };
    return (await server.call('/v2/events/get', {}, headers)).status;
  };

  it('restrict browsers, but not servers', async () => {
    const key = await createUsable({ allowedDomains: ['https://www.Example.com/', '*.acme.test'] });
    expect(await ask(key)).toBe(200);
    expect(await ask(key, 'https://example.com')).toBe(200);
    expect(await ask(key, 'https://a.b.acme.test:8443')).toBe(200);
    expect(await ask(key, 'https://app.example.com')).toBe(403);
    expect(await ask(key, 'https://acme.test')).toBe(403);
    expect(await ask(key, 'http://localhost:3000')).toBe(403);
    expect(await ask(key, 'null')).toBe(403);
  });

  it('include localhost on request', async () => {
    const key = await createUsable({ addLocalHostToAllowedDomains: true });
    expect(await ask(key, 'http://localhost:3000')).toBe(200);
    expect(await ask(key, 'https://example.com')).toBe(403);
  });

  it('restrict nothing if the list is empty', async () => {
    expect(await ask(await createUsable({}), 'https://example.com')).toBe(200);
  });
});
