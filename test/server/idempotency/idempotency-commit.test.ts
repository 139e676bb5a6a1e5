import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import type { Operation } from '../../../src/server/rest.ts';
import { attachmentsOf, send } from '../../support/attachments.ts';
import { headersFor, operations } from '../../support/operations.ts';
import { createDatabase, startTestServer } from '../../support/server.ts';

/** Breaks the connection of every write with an Idempotency-Key right after its commit. */

const KEEPS_ANSWER = /UPDATE idempotency_keys SET sealed_answer/;

/** Locks and stored answers are not counted as changes. */
const changes = (text: string): boolean =>
  /\b(INSERT INTO|UPDATE|DELETE FROM)\s+(?!idempotency_keys)/.test(
    text.replaceAll(/\b(FOR|FOR NO KEY|DO) UPDATE\b/g, ''),
  );

const faults = { commits: 0, outside: [] as string[], areOn: false };

/** Closes a connection right after it committed a stored answer. */
function breakAfterKeeping({ pool }: Database): void {
  pool.on('connect', (client) => {
    const state = { isOpen: false, keeps: false };
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const broken = async (...args: unknown[]) => {
      const text = textOf(args[0]);
      const isCommit = text === 'COMMIT';
      if (text === 'BEGIN') state.isOpen = true;
      if (KEEPS_ANSWER.test(text)) state.keeps = true;
      noteOutside(text, state.isOpen);
      const isLast = faults.areOn && state.keeps && (isCommit || !state.isOpen);
      if (isCommit || text === 'ROLLBACK') state.isOpen = false;
      const result = await query(...args);
      if (!isLast) return result;
      faults.commits++;
      client.end().catch(() => undefined);
      throw new Error('Connection terminated unexpectedly');
    };
    // The pool itself passes a callback.
    const wrapped = (...args: unknown[]) => {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return broken(...args);
      broken(...args.slice(0, -1)).then(
        (result) => callback(undefined, result),
        (error: unknown) => callback(error),
      );
    };
    client.query = wrapped as PoolClient['query'];
  });
}

function noteOutside(text: string, isOpen: boolean): void {
  const isBackground =
    text.includes('background */') ||
    text.includes('pgboss') ||
    text.includes('presence_processes');
  if (faults.areOn && !isOpen && !isBackground && changes(text)) faults.outside.push(text);
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');

const environment = {
  ROLES: 'api',
  DATABASE_URL: await createDatabase(),
  // No server listens on this port.
  OPENAI_BASE_URL: 'http://127.0.0.1:9',
};
const failing = await startTestServer(environment, { onDatabase: breakAfterKeeping });
const other = await startTestServer(environment);

/**
 * Creates what the examples refer to, without an Idempotency-Key, and returns the generated ids.
 */
async function prepare(): Promise<Record<string, unknown>> {
  const organizationId = 'acme';
  const make = async (path: string, data: object, headers = failing.keyHeaders) => {
    const answer = await other.call(path, data, headers);
    expect(answer.status, path).toBe(200);
    return answer.body.result.data;
  };
  const documents = [{ documentId: 'launch-plan' }, { documentId: 'other-plan' }];
  await make('/v2/organizations/documents/add', {
    organizationId,
    createOrganization: true,
    documents,
  });
  const folders = [{ folderId: 'contracts' }, { folderId: 'legal' }];
  await make('/v2/organizations/folders/add', { organizationId, folders });
  await make('/v1/users/add', { organizationId, users: [{ userId: 'ada' }, { userId: 'grace' }] });
  const editor = { organizationId, documentId: 'other-plan', editorId: 'body' };
  await make('/v2/crdt/add', { ...editor, type: 'text', data: 'We launch in May.' });
  const version = await make('/v2/crdt/versions/create', editor);
  await make('/v2/crdt/update', { ...editor, type: 'text', data: 'We launch in June.' });
  const { announce } = attachmentsOf(failing);
  const upload = await announce({ organizationId, documentId: 'launch-plan' });
  expect((await send(upload)).ok).toBe(true);
  const key = { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true };
  const made = await make('/v2/workspace/apikey/create', key, failing.workspaceHeaders);
  await make('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const endpoint = await make('/v2/workspace/advancedwebhook/endpoints/create', {
    url: 'https://hooks.example.com/prepared',
  });
  const activityServiceConfig = { isEnabled: true };
  await make('/v2/workspace/activityconfig/update', { activityServiceConfig });
  const openai = { provider: 'openai', customerApiKey: 'sk-0123456789abcdef' };
  await make('/v2/workspace/apikeyconfig/update', { aiModelApiKey: [openai] });
  return {
    apiKey: made.apiKey,
    attachmentId: upload.attachmentId,
    endpointId: endpoint.id,
    versionId: version.versionId,
    since: Date.now() - 60_000,
  };
}

/** Additions come first, deletions last, and in between the operations that need both. */
const rankOf = ({ name }: Operation): number =>
  /\.(add|create)$/.test(name) ? 0 : /\.(delete|remove|deleteUsers)$/.test(name) ? 2 : 1;

/** This operation revokes its own credentials, so it cannot be repeated. */
const ENDS_ITS_CREDENTIALS = 'workspaces.resetToken';

const writes = operations
  .filter(({ procedure, meta }) => procedure._def.type === 'mutation' && meta.level !== 'admin')
  .filter(({ name }) => name !== ENDS_ITS_CREDENTIALS)
  .map((operation, place) => ({ operation, rank: rankOf(operation), place }))
  .sort((a, b) => a.rank - b.rank || (a.rank === 2 ? b.place - a.place : a.place - b.place))
  .map(({ operation }) => operation);

/** Their examples cannot succeed, or only for users. The refusal is stored like any answer. */
const REFUSED = ['auth.generateStreamTicket', 'memory.alerts.dismiss', 'webhookDeliveries.resend'];

/** Inputs that differ from the example, because of what other examples changed. */
const ELSEWHERE: Record<string, object> = {
  'crdt.versions.restore': { documentId: 'other-plan' },
  'crdt.replaceRange': { documentId: 'other-plan', quote: 'We launch' },
};

function inputOf({ name, meta }: Operation, ids: Record<string, unknown>): object {
  const example = meta.example.request as Record<string, unknown>;
  // The example disables the endpoint, which other operations need.
  if (name === 'webhookEndpoints.update') return { endpointId: ids.endpointId, rateLimit: 20 };
  const given = Object.keys(example).filter((field) => field in ids);
  return {
    ...example,
    ...Object.fromEntries(given.map((field) => [field, ids[field]])),
    ...ELSEWHERE[name],
  };
}

/** The problem of a write that was repeated after its connection was lost. */
async function problemsOf(operation: Operation, data: object): Promise<string[]> {
  const headers = { ...headersFor(failing, operation), 'idempotency-key': 'once' };
  const { path } = operation.meta;
  const { commits } = faults;
  faults.outside = [];
  faults.areOn = true;
  const first = await failing.call(path, data, headers);
  faults.areOn = false;
  let second = first;
  const statements = await other.statementsOf(async () => {
    second = await other.call(path, data, headers);
  });
  return [
    faults.commits > commits ? [] : 'No connection was lost.',
    REFUSED.includes(operation.name) || first.status === 200
      ? []
      : `It was refused: ${JSON.stringify(first.body)}`,
    JSON.stringify(second.body) === JSON.stringify(first.body)
      ? []
      : `${JSON.stringify(first.body)} became ${JSON.stringify(second.body)}`,
    faults.outside.map((text) => `Changed by itself: ${text}`),
    statements.filter(changes).map((text) => `Changed again: ${text}`),
  ].flat();
}

it('a write with an Idempotency-Key whose connection breaks right after its commit has stored its answer, and a repeat at another process returns it without another change', async () => {
  const ids = await prepare();
  const problems: Record<string, string[]> = {};
  for (const operation of writes) {
    const found = await problemsOf(operation, inputOf(operation, ids));
    if (found.length > 0) problems[operation.name] = found;
  }
  expect(problems).toEqual({});
  expect(writes.length).toBeGreaterThan(60);
}, 90_000);
