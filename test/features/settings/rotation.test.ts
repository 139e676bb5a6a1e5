import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { reencryptColumn, SEALED_COLUMNS } from '../../../src/cli/rotate-secrets.ts';
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

/** Runs `npm run secrets:rotate` in an otherwise empty environment. */
function rotate(SECRET_KEY: string, PREVIOUS_SECRET_KEYS = '', flags: string[] = []) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY, PREVIOUS_SECRET_KEYS };
  const env = { PATH, NODE_COMPILE_CACHE, ...settings };
  const args = [COMMAND, 'secrets:rotate', ...flags];
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
  const webhookServiceConfig = {
    ...webhooks.webhookServiceConfig,
    rawNotificationUrl: receiver.url,
  };
  await call(server, 'workspace/webhookconfig/update', { webhookServiceConfig });
  await call(server, 'workspace/apikeyconfig/update', models);
  signingSecrets = await createSignedEndpoint(server);
  userToken = (await call(server, 'auth/generate_token', { userId: 'ada' })).token;
  cursor = (await call(server, 'events/get')).cursor;
  expect(await shown(server)).toEqual(everything());
  await server.app.stop();
});

// Each step finds the database as the earlier ones left it.
describe('a database whose SECRET_KEY changes', { shuffle: false }, () => {
  describe('a change of SECRET_KEY', () => {
    it('without the previous key is refused at the start', async () => {
      const refusal =
        /^SECRET_KEY is not the key that encrypted .* list it in PREVIOUS_SECRET_KEYS/;
      await expect(start(OTHER)).rejects.toThrow(refusal);
    });

    it('reports a lost generated key instead of creating another', async () => {
      const start = startTestServer({ DATABASE_URL: databaseUrl, SECRET_KEY: '' });
      await expect(start).rejects.toThrow(
        /secret-key is missing, .* Restore the file from a backup/,
      );
    });

    it('with the previous key keeps secrets, user tokens and cursors valid', async () => {
      const server = await start(NEW, `${OTHER},${OLD}`);
      expect(await shown(server)).toEqual(everything());
      await call(server, 'events/get', { after: cursor });
      // The operation refuses user tokens. This message shows that it verified this one first.
      const headers = { authorization: `Bearer ${userToken}` };
      const { body } = await server.call('/v2/workspace/emailconfig/get', {}, headers);
      expect(body.error.message).toMatch(/A user token is not enough/);
      await server.app.stop();
    });
  });

  describe('npm run secrets:rotate', () => {
    it('names values that no key decrypts, keeps them, and fails', async () => {
      const { code, output } = await rotate(NEW, OTHER);
      expect(code).toBe(1);
      expect(output).toContain('9 stored secrets cannot be decrypted');
      expect(output).toContain(`service_settings/${quickstart.apiKey}/email_api_key`);
      expect(output).not.toMatch(/v1\.[0-9a-f]{8}/);
      const server = await start(OLD);
      expect(await shown(server)).toEqual(everything());
      await server.app.stop();
    });

    it('encrypts everything again while the service runs, so that the previous key can be removed', async () => {
      const running = await start(NEW, OLD);
      expect(await rotate(NEW, OLD)).toEqual({
        code: 0,
        output: [
          'auth_tokens.sealed_token: 1 encrypted again',
          'service_settings.sealed_email_api_key: 1 encrypted again',
          'service_settings.sealed_webhook_auth_token: 1 encrypted again',
          'service_settings.webhook_service_config.rawNotificationUrl: 1 encrypted again',
          'service_settings.webhook_service_config.processedNotificationUrl: 0 encrypted again',
          'model_provider_keys.sealed_key: 1 encrypted again',
          'webhook_endpoints.sealed_secret: 1 encrypted again',
          'webhook_endpoints.sealed_previous_secrets: 1 encrypted again',
          'webhook_endpoints.url: 1 encrypted again',
          'key_sentinel.sealed_text: 1 encrypted again',
          'Every stored secret is encrypted with the current key.\n',
        ].join('\n'),
      });
      expect(await shown(running)).toEqual(everything());
      const server = await start(NEW);
      expect(await shown(server)).toEqual(everything());
      const again = await rotate(NEW);
      expect(again.code).toBe(0);
      expect(again.output.match(/: 0 encrypted again/g)).toHaveLength(10);
      await Promise.all([server.app.stop(), running.app.stop()]);
    });

    it('keeps the signing secrets of webhooks', async () => {
      const server = await start(NEW);
      const organizations = [{ organizationId: 'acme', organizationName: 'Acme' }];
      await call(server, 'organizations/add', { organizations });
      const [{ body, headers }] = await eventually(() => {
        expect(receiver.received).toHaveLength(1);
        return receiver.received as [Received];
      });
      expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
      for (const secret of signingSecrets) {
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({
          type: 'organization.add',
        });
      }
      await server.app.stop();
    });

    it('resumes where it was interrupted', async () => {
      const [old, current] = [OLD, NEW].map((key) => Buffer.from(key, 'base64'));
      if (!old || !current) throw new Error('There are two keys.');
      const [column] = SEALED_COLUMNS;
      if (column?.table !== 'auth_tokens') throw new Error('Auth tokens come first.');
      const tokens = Array.from({ length: 1200 }, (_, at) => `token-${at}`);
      await insertTokens(new Secrets(old), tokens, column.storageAddress);
      const ring = new Secrets(current, [old]);
      await expect(reencryptColumn(stopAfter(db, 700), ring, column)).rejects.toThrow('stopped');
      const { reencrypted, unreadable } = await reencryptColumn(db, ring, column);
      expect({ reencrypted, unreadable }).toEqual({ reencrypted: 1200 - 698, unreadable: [] });
      const server = await start(NEW);
      const { authTokens } = await shown(server);
      expect(authTokens.sort()).toEqual([...tokens, quickstart.authToken].sort());
      await server.app.stop();
    });
  });

  it('an encrypted value can be decrypted in its own row and column only', async () => {
    const server = await start(NEW);
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
    const { authTokens, ...settings } = await shown(server);
    expect(settings).toEqual({
      email: '',
      webhook: '',
      url: receiver.url,
      provider: [
        { provider: 'gemini', customerApiKey: '…' },
        { provider: 'openai', customerApiKey: 'sk-…a1b2' },
      ],
    });
    expect(authTokens).toContain('token-2');
    expect(authTokens).not.toContain('token-1');
    await server.app.stop();
  });

  it('a lost key is accepted by --accept-lost, which removes its secrets and keeps all else', async () => {
    const { code, output } = await rotate(OTHER, '', ['--accept-lost']);
    expect(code).toBe(0);
    expect(output).toMatch(/stored secrets are given up/);
    const server = await start(OTHER);
    expect(await shown(server)).toMatchObject({ email: '', webhook: '', authTokens: [] });
    const change = { useEmailService: true };
    const changed = await call(server, 'workspace/emailconfig/update', change);
    expect(changed).toMatchObject({ ...change, emailServiceConfig: { apiKey: '' } });
    await server.app.stop();
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
  const places = SEALED_COLUMNS.flatMap(({ key, storageAddress }) =>
    ['one', 'two'].flatMap((value) =>
      ['one', 'two'].map((other) =>
        storageAddress(...[value, Buffer.from(other)].slice(0, key.length)),
      ),
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
