import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { reencryptColumn, rotateSecrets, SEALED_COLUMNS } from '../../../src/cli/rotate-secrets.ts';
import { readConfig } from '../../../src/config.ts';
import { type Database, type Queryable, sql } from '../../../src/platform/database/database.ts';
import { Secrets, sha256 } from '../../../src/platform/secrets.ts';
import { openDatabase } from '../../support/database-client.ts';
import { eventually } from '../../support/eventually.ts';
import { MODELS } from '../../support/prisma-schema.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.ts';
import {
  createDatabase,
  credentialHeaders,
  type Quickstart,
  startTestServer,
  type TestServer,
} from '../../support/server.ts';

/** Follows an operator who changes SECRET_KEY on one database. */

const COMMAND = path.join(import.meta.dirname, '../../../src/cli/main.ts');
const newKey = () => randomBytes(32).toString('base64');
const [OLD, NEW, OTHER] = [newKey(), newKey(), newKey()];

/** These values expire within 24 hours. */
const LEFT_TO_EXPIRE = ['idempotency_keys.sealed_answer'];

const email = { emailServiceConfig: { apiKey: 'SG.secret' } };
const webhooks = { webhookServiceConfig: { authToken: 'webhook secret' } };
const models = {
  aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-proj-abcdefghijklmnopa1b2' }],
};

let databaseUrl: string;
let db: Database;
let quickstart: Quickstart;
let userToken: string;
let cursor: string;
let receiver: Receiver;
/** The secrets that the receiver accepts, the newest first. */
let signingSecrets: string[];

const start = (SECRET_KEY: string, PREVIOUS_SECRET_KEYS = '') =>
  startTestServer({
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    PREVIOUS_SECRET_KEYS,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
const call = (server: TestServer, operation: string, data: object = {}) =>
  server.ok(`/v2/${operation}`, data, credentialHeaders(quickstart).keyHeaders);

/** All values that are stored encrypted, as the operations return them. */
async function shown(server: TestServer) {
  const { apiKey } = quickstart;
  const { workspaceHeaders } = credentialHeaders(quickstart);
  const [emails, hooks, keys, tokens] = await Promise.all([
    call(server, 'workspace/emailconfig/get'),
    call(server, 'workspace/webhookconfig/get'),
    call(server, 'workspace/apikeyconfig/get'),
    server.ok('/v2/workspace/authtokens/get', { apiKey }, workspaceHeaders),
  ]);
  return {
    email: emails.emailServiceConfig.apiKey,
    webhook: hooks.webhookServiceConfig.authToken,
    url: hooks.webhookServiceConfig.rawNotificationUrl,
    provider: keys.aiModelApiKey,
    authTokens: tokens.authTokens.map(({ token }: { token: string }) => token),
  };
}

const everything = () => ({
  email: 'SG.secret',
  webhook: 'webhook secret',
  url: receiver.url,
  provider: [{ provider: 'openai', customerApiKey: 'sk-…a1b2' }],
  authTokens: [quickstart.authToken],
});

const settings = (SECRET_KEY: string, PREVIOUS_SECRET_KEYS = '') => {
  return { DATABASE_URL: databaseUrl, SECRET_KEY, PREVIOUS_SECRET_KEYS };
};

/** Encrypts all secrets again, and returns how many there were in each column. */
async function rotate(key: string, previous?: string, print: (line: string) => void = () => {}) {
  const { reencrypted } = await rotateSecrets(readConfig(settings(key, previous)), { print });
  return reencrypted;
}

/** Runs `npm run secrets:rotate -- --accept-lost` in an otherwise empty environment. */
function acceptLost(key: string) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...settings(key) };
  const args = [COMMAND, 'secrets:rotate', '--accept-lost'];
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

/** An endpoint whose secret was rotated once, so that the previous one signs as well. */
async function createSignedEndpoint(server: TestServer): Promise<string[]> {
  const hooks = 'workspace/advancedwebhook/endpoints';
  await call(server, 'workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { id: endpointId } = await call(server, `${hooks}/create`, { url: receiver.url });
  const before = await call(server, `${hooks}/secret/get`, { endpointId });
  const after = await call(server, `${hooks}/secret/rotate`, { endpointId });
  return [after.secret, before.secret];
}

beforeAll(async () => {
  receiver = await startReceiver();
  databaseUrl = await createDatabase();
  db = openDatabase(databaseUrl, { poolSize: 2 });
  const server = await start(OLD);
  quickstart = server.quickstart;
  await call(server, 'workspace/emailconfig/update', email);
  const { authToken } = webhooks.webhookServiceConfig;
  const webhookServiceConfig = { authToken, rawNotificationUrl: receiver.url };
  await call(server, 'workspace/webhookconfig/update', { webhookServiceConfig });
  await call(server, 'workspace/apikeyconfig/update', models);
  signingSecrets = await createSignedEndpoint(server);
  userToken = (await call(server, 'auth/generate_token', { userId: 'ada' })).token;
  cursor = (await call(server, 'events/get')).cursor;
  expect(await shown(server)).toEqual(everything());
  await server.app.stop();
});

// Each step finds the database and the server as the earlier ones left them.
describe('a database whose SECRET_KEY changes', { shuffle: false }, () => {
  let server: TestServer;

  it('is refused without the previous key, and no lost generated key is replaced', async () => {
    const refusal = /^SECRET_KEY is not the key that encrypted .* list it in PREVIOUS_SECRET_KEYS/;
    await expect(start(OTHER)).rejects.toThrow(refusal);
    const lost = startTestServer({ DATABASE_URL: databaseUrl, SECRET_KEY: '' });
    await expect(lost).rejects.toThrow(/secret-key is missing, .* Restore the file from a backup/);
  });

  it('keeps secrets, user tokens and cursors valid with the previous key', async () => {
    server = await start(NEW, `${OTHER},${OLD}`);
    expect(await shown(server)).toEqual(everything());
    await call(server, 'events/get', { after: cursor });
    // The operation refuses user tokens. This message shows that it verified this one first.
    const headers = { authorization: `Bearer ${userToken}` };
    const { body } = await server.call('/v2/workspace/emailconfig/get', {}, headers);
    expect(body.error.message).toMatch(/A user token is not enough/);
  });

  it('keeps values that no key decrypts, which the rotation names, and fails', async () => {
    const lines: string[] = [];
    const rotation = rotate(NEW, OTHER, (line) => lines.push(line));
    await expect(rotation).rejects.toThrow('9 stored secrets cannot be decrypted');
    const output = lines.join('\n');
    expect(output).toContain(`service_settings/${quickstart.apiKey}/email_api_key`);
    expect(output).not.toMatch(/v1\.[0-9a-f]{8}/);
    expect(await shown(server)).toEqual(everything());
  });

  it('is encrypted again while the service runs, so that the previous key can be removed', async () => {
    expect(await rotate(NEW, OLD)).toEqual({
      'auth_tokens.sealed_token': 1,
      'service_settings.sealed_email_api_key': 1,
      'service_settings.sealed_webhook_auth_token': 1,
      'service_settings.webhook_service_config.rawNotificationUrl': 1,
      'service_settings.webhook_service_config.processedNotificationUrl': 0,
      'model_provider_keys.sealed_key': 1,
      'webhook_endpoints.sealed_secret': 1,
      'webhook_endpoints.sealed_previous_secrets': 1,
      'webhook_endpoints.url': 1,
      'key_sentinel.sealed_text': 1,
    });
    expect(await shown(server)).toEqual(everything());
    await server.app.stop();
    server = await start(NEW);
    expect(await shown(server)).toEqual(everything());
    expect(Object.values(await rotate(NEW))).toEqual(Array(10).fill(0));
  });

  it('keeps the signing secrets of webhooks', async () => {
    const organizations = [{ organizationId: 'acme', organizationName: 'Acme' }];
    await call(server, 'organizations/add', { organizations });
    const [{ body, headers }] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received as [Received];
    });
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of signingSecrets) {
      const event = new Webhook(secret).verify(body, headers);
      expect(event).toMatchObject({ type: 'organization.add' });
    }
  });

  it('is encrypted from where an interrupted rotation ended', async () => {
    const [old, current] = [Buffer.from(OLD, 'base64'), Buffer.from(NEW, 'base64')];
    const [column] = SEALED_COLUMNS;
    if (column?.table !== 'auth_tokens') throw new Error('Auth tokens come first.');
    const tokens = Array.from({ length: 1200 }, (_, at) => `token-${at}`);
    await insertTokens(new Secrets(old), tokens, column.storageAddress);
    const ring = new Secrets(current, [old]);
    await expect(reencryptColumn(stopAfter(db, 700), ring, column)).rejects.toThrow('stopped');
    const { reencrypted, unreadable } = await reencryptColumn(db, ring, column);
    expect({ reencrypted, unreadable }).toEqual({ reencrypted: 1200 - 698, unreadable: [] });
    const { authTokens } = await shown(server);
    expect(authTokens.sort()).toEqual([...tokens, quickstart.authToken].sort());
  });

  it('decrypts a value in its own row and column only', async () => {
    const input = { ownerEmail: 'ada@example.com', type: 'testing', ...email, ...webhooks };
    const { workspaceHeaders } = credentialHeaders(quickstart);
    const { apiKey } = await server.ok('/v2/workspace/apikey/create', input, workspaceHeaders);
    await db.query(sql`
      UPDATE service_settings s SET sealed_email_api_key = o.sealed_email_api_key,
        sealed_webhook_auth_token = s.sealed_email_api_key
      FROM service_settings o WHERE s.tenant_id = ${quickstart.apiKey} AND o.tenant_id = ${apiKey}`);
    await db.query(sql`
      INSERT INTO model_provider_keys (workspace_id, provider, sealed_key)
      SELECT workspace_id, 'gemini', sealed_key FROM model_provider_keys`);
    await db.query(sql`
      UPDATE auth_tokens t SET sealed_token = o.sealed_token FROM auth_tokens o
      WHERE t.tenant_id = o.tenant_id AND t.hash <> o.hash
        AND t.hash = ${sha256('token-1')} AND o.hash = ${sha256('token-2')}`);
    const { authTokens, provider, ...rest } = await shown(server);
    expect(rest).toEqual({ email: '', webhook: '', url: receiver.url });
    expect(provider).toEqual([
      { provider: 'gemini', customerApiKey: '…' },
      { provider: 'openai', customerApiKey: 'sk-…a1b2' },
    ]);
    expect(authTokens).toContain('token-2');
    expect(authTokens).not.toContain('token-1');
    await server.app.stop();
  });

  it('loses its secrets, and keeps all else, when --accept-lost accepts that the key is lost', async () => {
    const { code, output } = await acceptLost(OTHER);
    expect(code).toBe(0);
    expect(output).toMatch(/stored secrets are given up/);
    const renewed = await start(OTHER);
    expect(await shown(renewed)).toMatchObject({ email: '', webhook: '', authTokens: [] });
    const change = { useEmailService: true };
    const changed = await call(renewed, 'workspace/emailconfig/update', change);
    expect(changed).toMatchObject({ ...change, emailServiceConfig: { apiKey: '' } });
  });
});

it('the rotation covers every encrypted column of the schema', () => {
  const inSchema = MODELS.flatMap(({ table, text }) =>
    [...text.matchAll(/@map\("(sealed_\w+)"\)/g)].map(([, column]) => `${table}.${column}`),
  );
  const named = SEALED_COLUMNS.filter(({ column }) => column.startsWith('sealed_'));
  const known = named.map(({ table, column }) => `${table}.${column}`);
  expect([...known, ...LEFT_TO_EXPIRE].sort()).toEqual(inSchema.sort());
});

it('the rotation identifies every row of every column', () => {
  const values = ['one one', 'one two', 'two one', 'two two'].map((text) => text.split(' '));
  const places = SEALED_COLUMNS.flatMap(({ key, storageAddress }) =>
    values.map(([value = '', other = '']) =>
      storageAddress(...[value, Buffer.from(other)].slice(0, key.length)),
    ),
  );
  const rows = SEALED_COLUMNS.map(({ key }) => 2 ** key.length);
  expect(new Set(places).size).toBe(rows.reduce((sum, count) => sum + count));
});

async function insertTokens(
  secrets: Secrets,
  tokens: string[],
  storageAddress: (...key: Array<string | Buffer>) => string,
): Promise<void> {
  const { apiKey } = quickstart;
  const hashes = tokens.map(sha256);
  const sealed = tokens.map((token) => secrets.seal(token, storageAddress(apiKey, sha256(token))));
  await db.query(sql`
    INSERT INTO auth_tokens (tenant_id, hash, sealed_token)
    SELECT ${apiKey}, hash, sealed
    FROM unnest(${hashes}::bytea[], ${sealed}::text[]) AS input(hash, sealed)`);
}

/** The database of a command that is interrupted after this many statements. */
function stopAfter(database: Database, statements: number): Queryable {
  let left = statements;
  return {
    query: async (statement) => {
      if (left-- === 0) throw new Error('stopped');
      return database.query(statement);
    },
  };
}
