import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, invalid } from '../../support/answers.ts';
import { createTenant, testServer } from '../../support/server.ts';
import { createWorkspace } from '../../support/workspaces.ts';

const server = testServer({ MAX_PRODUCTION_KEYS: '3' });

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

async function workspaceWith(settings: object = {}) {
  const headers = await createWorkspace(server);
  const update = { workspaceId: headers['x-svc-workspace-id'], ...settings };
  dataOf(await server.call('/v2/workspace/update', update, server.adminHeaders));
  return headers;
}

describe('workspace/apikey/create', () => {
  it('accepts every field of the specification', async () => {
    const answer = await create({
      ...TESTING,
      realtimeDBRegion: 'europe-west1',
      createAuthToken: true,
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
      webhookServiceConfig: {
        authToken: '',
        rawNotificationUrl: '',
        processedNotificationUrl: '',
      },
    });
    expect(dataOf(answer)).toEqual({ apiKey: expect.stringMatching(/^\w{20}$/) });
  });

  it.each([
    [{ createAuthToken: true }, 1],
    [{ createAuthToken: false }, 0],
    [{}, 0],
  ])('with %j makes a key with %i auth tokens', async (input, count) => {
    const { apiKey } = dataOf(await create({ ...TESTING, ...input }));
    expect(await tokensOf(apiKey)).toHaveLength(count);
  });

  it.each([
    ['ownerEmail', { ownerEmail: 'nobody' }],
    ['type', { type: 'Testing' }],
    ['allowedDomains[1]', { allowedDomains: ['example.com', 'no domain'] }],
    ['emailServiceConfig.type', { emailServiceConfig: { type: 'sendmail' } }],
    ['emailServiceConfig.fromEmail', { emailServiceConfig: { fromEmail: 'nobody' } }],
    ...['ftp://example.com', `https://example.com/${'a'.repeat(2048)}`].map(
      (rawNotificationUrl): [string, object] => [
        'webhookServiceConfig.rawNotificationUrl',
        { webhookServiceConfig: { rawNotificationUrl } },
      ],
    ),
  ])('names %s as the problem of %j', async (path, input) => {
    expect((await create({ ...TESTING, ...input })).body).toEqual(invalid(path));
  });
});

describe('regions', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    headers = await workspaceWith({
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
    const headers = await workspaceWith(settings);
    expect(failureOf(await create(PRODUCTION, headers))).toMatchObject({ http, status });
  });

  it('never exceed MAX_PRODUCTION_KEYS, also under concurrency', async () => {
    const headers = await workspaceWith({ plan: 'paid', selfServeProductionKeys: true });
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
  it.each([
    [
      { allowedDomains: ['https://www.Example.com/', '*.acme.test'] },
      ['example.com', '*.acme.test'],
    ],
    [{ addLocalHostToAllowedDomains: true }, ['localhost']],
    [{}, []],
  ])('with %j are %j', async (settings, domains) => {
    const headers = await createTenant(server, settings);
    const answer = await server.call('/v2/workspace/domains/get', {}, headers);
    expect(dataOf(answer).allowedDomains).toEqual(domains);
  });
});
