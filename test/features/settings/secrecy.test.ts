import { randomBytes } from 'node:crypto';
import superjson from 'superjson';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseClient } from '../../support/database-client.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answersWith,
  fails,
  MODELS,
  PROVIDERS,
  type Reply,
  sendJson,
  startModelProviders,
} from '../../support/model-provider.ts';
import { serverProcess } from '../../support/processes.ts';
import { type Answer, createDatabase, post } from '../../support/server.ts';
import { addressOf } from '../../support/subscriptions.ts';

/** The real process with the most verbose log, and secrets whose parts are unmistakable. */

const MARK = 'LEAK';
const secret = (name: string) => `${name}-${MARK.repeat(10)}`;
const EMAIL_KEY = secret('SG.email');
const WEBHOOK_TOKEN = secret('webhook');
/** The last four characters are shown. */
const PROVIDER_KEY = `${secret('sk-provider')}-a1b2`;
const ADMIN_TOKEN = secret('admin');
const [SECRET_KEY = '', PREVIOUS = ''] = [1, 2].map(() => randomBytes(32).toString('base64'));

const databaseUrl = await createDatabase();
const database = await databaseClient(databaseUrl);
const providers = await startModelProviders();
const server = await serverProcess({
  ...{ NODE_ENV: 'production', LOG_LEVEL: 'trace', DATABASE_URL: databaseUrl },
  ...{ ADMIN_TOKEN, SECRET_KEY, PREVIOUS_SECRET_KEYS: PREVIOUS },
  // The libraries of the providers would log requests and answers to the console.
  ...{ ...providers.environment, OPENAI_LOG: 'debug', ANTHROPIC_LOG: 'debug' },
});
await server.start();
const { url } = server;
const output = () => [...server.logged, ...server.complaints].join('');
/** Tokens that the server generated. */
const tokens: string[] = [];
let keyHeaders: Record<string, string>;

beforeAll(async () => {
  await createKey();
  expectNoSecrets(await logged());
});

/** A workspace and a key with all secrets set. */
async function createKey(): Promise<void> {
  const admin = { 'x-svc-admin-token': ADMIN_TOKEN };
  const owner = { ownerEmail: 'ada@example.com' };
  const workspace = await succeed('workspace/create', owner, admin);
  const workspaceHeaders = {
    'x-svc-workspace-id': workspace.id,
    'x-svc-workspace-auth-token': workspace.authToken,
  };
  const key = { ...owner, type: 'testing', ...emailUpdate(), ...webhookUpdate() };
  const { apiKey } = await succeed('workspace/apikey/create', key, workspaceHeaders);
  const reset = await succeed('workspace/authtoken/reset', { apiKey }, workspaceHeaders);
  const { token } = reset.newAuthToken;
  keyHeaders = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
  const user = await succeed('auth/generate_token', { userId: 'ada' });
  tokens.push(workspace.authToken, token, user.token);
}

const emailUpdate = (config: object = {}) => ({
  emailServiceConfig: { apiKey: EMAIL_KEY, ...config },
});
const webhookUpdate = (config: object = {}) => ({
  webhookServiceConfig: { authToken: WEBHOOK_TOKEN, ...config },
});
const modelUpdate = (provider = 'openai', customerApiKey = PROVIDER_KEY) => ({
  aiModelApiKey: [{ provider, customerApiKey }],
});
const UPDATES = {
  'workspace/emailconfig/update': emailUpdate(),
  'workspace/webhookconfig/update': webhookUpdate(),
  'workspace/apikeyconfig/update': modelUpdate(),
};

const call = (operation: string, data: unknown, headers = keyHeaders) =>
  post(`${url}/v2/${operation}`, typeof data === 'string' ? data : { data }, headers);

async function succeed(operation: string, data: object, headers = keyHeaders) {
  const { body } = await call(operation, data, headers);
  expect(body).toHaveProperty('result');
  return body.result.data;
}

function expectNoSecrets(text: string): void {
  expect(text).not.toContain(MARK);
  for (const token of [...tokens, SECRET_KEY, PREVIOUS]) expect(text).not.toContain(token);
}

function expectFailureWithoutSecrets({ status, body }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expectNoSecrets(JSON.stringify(body));
}

/** The log of the test, up to a request whose log line has arrived. */
async function logged(): Promise<string> {
  const requestId = randomBytes(8).toString('hex');
  await post(`${url}/v2/nothing`, {}, { 'x-request-id': requestId });
  await eventually(() => expect(output()).toContain(requestId));
  return output();
}

beforeEach(async () => {
  await logged();
  server.logged.length = 0;
  server.complaints.length = 0;
  for (const [operation, data] of Object.entries(UPDATES)) await succeed(operation, data);
});

describe('secrets', () => {
  it('are not logged when they are set, nor stored in plain text', async () => {
    const log = await logged();
    expect(log).toContain('emailConfig.update');
    expectNoSecrets(log);
    const headers = { ...keyHeaders, 'idempotency-key': 'kept' };
    await call('workspace/emailconfig/update', emailUpdate(), headers);
    const { rows: tables } = await database.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const { rows } = await database.query(`SELECT t::text AS row FROM "${name}" t`);
      expectNoSecrets(rows.map(({ row }) => row).join('\n'));
    }
  });

  it('are not repeated by refusals of input', async () => {
    const updates: Array<[name: string, data: unknown]> = [
      ['emailconfig', emailUpdate({ type: EMAIL_KEY })],
      ['emailconfig', emailUpdate({ apiKey: { key: EMAIL_KEY } })],
      ['emailconfig', emailUpdate({ apiKey: `${EMAIL_KEY}\n` })],
      ['emailconfig', emailUpdate({ fromEmail: EMAIL_KEY })],
      ['emailconfig', { emailServiceConfig: { [EMAIL_KEY]: EMAIL_KEY } }],
      ['webhookconfig', webhookUpdate({ rawNotificationUrl: WEBHOOK_TOKEN })],
      ['webhookconfig', webhookUpdate({ authToken: WEBHOOK_TOKEN.repeat(100) })],
      ['apikeyconfig', modelUpdate(PROVIDER_KEY)],
      ['apikeyconfig', modelUpdate('openai', `${PROVIDER_KEY} `)],
      ['apikeyconfig', { defaultDocumentAccessType: PROVIDER_KEY }],
      ['emailconfig', MARK.repeat(3)],
      ['emailconfig', `{"data":{"emailServiceConfig":${MARK}${EMAIL_KEY}}}`],
      ['emailconfig', `{"data":{"emailServiceConfig":"${EMAIL_KEY}`],
      ['emailconfig', `{"data":{"__proto__":{"apiKey":"${EMAIL_KEY}"}}}`],
    ];
    for (const [name, data] of updates) {
      expectFailureWithoutSecrets(await call(`workspace/${name}/update`, data));
    }
    const domains = [EMAIL_KEY.replace('.', ' ')];
    expectFailureWithoutSecrets(await call('workspace/domains/add', { domains }));
    expectNoSecrets(await logged());
  });

  it('are not repeated by refusals of credentials and of an Idempotency-Key', async () => {
    const update = (headers: object, data = emailUpdate()) =>
      call('workspace/emailconfig/update', data, { ...keyHeaders, ...headers });
    const key = { 'idempotency-key': 'met' };
    await update(key);
    for (const answer of [
      await update(key, emailUpdate({ fromCompany: 'Acme' })),
      await update({ 'x-svc-auth-token': EMAIL_KEY }),
      await call('workspace/emailconfig/get', {}, { authorization: `Bearer ${EMAIL_KEY}` }),
      await call('workspace/create', {}, { 'x-svc-admin-token': `${MARK}-no` }),
    ]) {
      expectFailureWithoutSecrets(answer);
    }
    expectNoSecrets(await logged());
  });

  it('are not repeated by tRPC, neither in bodies nor in addresses', async () => {
    const trpc = `${url}/trpc/emailConfig.update`;
    const input = superjson.serialize(emailUpdate({ type: EMAIL_KEY }));
    for (const body of [input, `{"json":{"apiKey":${MARK}${EMAIL_KEY}}}`]) {
      expectFailureWithoutSecrets(await post(trpc, body, keyHeaders));
    }
    const query = encodeURIComponent(superjson.stringify(emailUpdate()));
    const response = await fetch(`${trpc}?input=${query}`, { headers: keyHeaders });
    expect(response.status).toBe(405);
    expectNoSecrets(await response.text());
    expectNoSecrets(await logged());
  });

  it('are not logged from the addresses of subscriptions, which may have credentials', async () => {
    const place = { organizationId: 'acme', documentId: 'plan' };
    const address = url + addressOf('comments.changes', place);
    const params = (value: string) => `&connectionParams=${encodeURIComponent(value)}`;
    const token = params(JSON.stringify({ token: EMAIL_KEY }));
    for (const query of [token, params(`{${EMAIL_KEY}`), `&ticket=${EMAIL_KEY}`]) {
      await (await fetch(address + query)).text();
    }
    const left = new AbortController();
    const pending = fetch(address + params(EMAIL_KEY), { signal: left.signal });
    left.abort();
    await expect(pending).rejects.toThrow();
    const log = await logged();
    expect(log).toContain('comments.changes');
    expectNoSecrets(log);
  });

  it.each([
    ['workspace/emailconfig/update', 'service_settings', 'sealed_email_api_key'],
    ['workspace/webhookconfig/update', 'service_settings', 'sealed_webhook_auth_token'],
    ['workspace/apikeyconfig/update', 'model_provider_keys', 'sealed_key'],
  ] as const)('are not repeated when the database refuses %s', async (operation, table, column) => {
    const check = `CHECK (${column} IS NULL) NOT VALID`;
    await database.query(`ALTER TABLE ${table} ADD CONSTRAINT refusal ${check}`);
    const answer = await call(operation, UPDATES[operation]);
    await database.query(`ALTER TABLE ${table} DROP CONSTRAINT refusal`);
    expect(answer.status).toBe(500);
    expectFailureWithoutSecrets(answer);
    const log = await logged();
    expect(log).toContain('violates check constraint');
    expectNoSecrets(log);
  });

  const echo = { [PROVIDER_KEY]: PROVIDER_KEY };
  const echoes: Array<[string, Reply]> = [
    ['in an answer', answersWith({ text: `Take ${PROVIDER_KEY}` })],
    ['in a refusal of the key', fails(401, { error: { message: PROVIDER_KEY, ...echo } })],
    ['in a failure', fails(500, PROVIDER_KEY, { 'x-request-id': PROVIDER_KEY })],
    ['in broken JSON', (_, response) => sendJson(response, 200, `{"${PROVIDER_KEY}`)],
    ['in a format of its own', (_, response) => sendJson(response, 200, echo)],
    ['in a redirect', fails(302, {}, { location: `http://127.0.0.1/${PROVIDER_KEY}` })],
  ];

  it.each(echoes)(
    'are not repeated when a model provider repeats them %s',
    async (_where, reply) => {
      providers.reply(reply);
      for (const provider of PROVIDERS) {
        await succeed('workspace/apikeyconfig/update', modelUpdate(provider));
        const data = { model: MODELS[provider], prompt: 'Echo.', text: 'Hello.' };
        const { body } = await call('rewriter/ask-ai', data);
        expect(body.result.success).toBe(false);
        expectNoSecrets(JSON.stringify(body));
      }
      expect(providers.seen.map(({ headers }) => headers.authorization)).toEqual(
        Array(3).fill(`Bearer ${PROVIDER_KEY}`),
      );
      const log = await logged();
      expect(log).toContain('rewriter.askAi');
      expectNoSecrets(log);
    },
  );

  it('are not repeated when one is stored in plain text, and other settings still work', async () => {
    const apiKey = keyHeaders['x-svc-api-key'];
    const settings = 'UPDATE service_settings SET sealed_email_api_key = $1 WHERE tenant_id = $2';
    await database.query(settings, [EMAIL_KEY, apiKey]);
    const keys = "UPDATE model_provider_keys SET sealed_key = $1 WHERE provider = 'openai'";
    await database.query(keys, [PROVIDER_KEY]);
    const found = await succeed('workspace/emailconfig/get', {});
    expect(found).toMatchObject({ useEmailService: false, emailServiceConfig: { apiKey: '' } });
    const { aiModelApiKey } = await succeed('workspace/apikeyconfig/get', {});
    expect(aiModelApiKey).toContainEqual({ provider: 'openai', customerApiKey: '…' });
    const log = await logged();
    expect(log).toContain('could not be decrypted');
    expectNoSecrets(log);
  });
});
