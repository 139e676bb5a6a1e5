import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, inject } from 'vitest';
import type { Surroundings } from '../../src/app/foundation.ts';
import type { RunningApp } from '../../src/app/running-app.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Quickstart } from '../../src/features/workspaces/quickstart.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { dataOf, type Loose } from './answers.ts';
import { eventually } from './eventually.ts';
import { execute, withDatabase } from './global-setup.ts';
import { checkRows, guardRows, takeRowProblems } from './rows/row-guard.ts';
import { type RoundTrip, watchRoundTrips, watchStatements } from './statements.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { tenantProblem } from './tenant-guard.ts';
import { whenFileEnds } from './when-file-ends.ts';

export type { Quickstart };

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/**
 * Lookups of credentials and statements of background work, such as the event sequencer. Its BEGIN and COMMIT cannot be
 * recognized.
 */
const BACKGROUND =
  /(background|credentials) \*\/|pg_advisory|^(?!.*crdt_updates).*pg_notify|^(BEGIN|COMMIT|ROLLBACK|DISCARD PLANS)$/s;

type Environment = Record<string, string>;

const declaredRowsFile = inject('declaredRowsFile');
if (declaredRowsFile !== undefined) guardRows(declaredRowsFile);

/** The problems that the guards found. The server itself hides them behind INTERNAL. */
const tenantProblems = new Set<string>();

function requireNoProblems(): void {
  const problems = [...tenantProblems, ...takeRowProblems()];
  tenantProblems.clear();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Servers on one database must have the same key. */
export const SHARED_SECRET_KEY = randomBytes(32).toString('base64');

/** A copy of the migrated database, dropped at the end of the file. */
export const createDatabase = (): Promise<string> => copyDatabase(inject('templateName'));

/** A database without tables, dropped at the end of the file. */
export const emptyDatabase = (): Promise<string> => copyDatabase('template1');

async function copyDatabase(template: string): Promise<string> {
  const adminUrl = inject('adminUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await execute(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const drop = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
  // PostgreSQL drops no database while a disk is full, as in the test of that.
  whenFileEnds(() => eventually(() => execute(adminUrl, drop)));
  return withDatabase(adminUrl, name);
}

/**
 * The real server on its own port with its own database, stopped at the end of the file. A
 * statement that does not compare the tenant fails its test.
 */
export async function startTestServer(
  environment: Environment = {},
  surroundings: Surroundings = {},
) {
  whenFileEnds(requireNoProblems);
  const databaseUrl = environment.DATABASE_URL ?? (await createDatabase());
  const dataDir = environment.DATA_DIR ?? (await temporaryFolder('test-data-'));
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: '0',
    LOG_LEVEL: 'silent',
    SECRET_KEY: SHARED_SECRET_KEY,
    RATE_LIMIT_PER_SECOND: '0',
    FAILED_CREDENTIALS_PER_MINUTE: '0',
    ITEMS_PER_SECOND: '0',
    BYTES_PER_SECOND: '0',
    DATABASE_MS_PER_SECOND: '0',
    // Many servers share one PostgreSQL, which may allow only a hundred connections.
    DATABASE_POOL_SIZE: '6',
    ...environment,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
  });
  const recorders = new Set<string[]>();
  const roundTripRecorders = new Set<RoundTrip[]>();
  const onDatabase = (db: Database) => {
    watchStatements(
      db.pool,
      (text) => {
        const problem = tenantProblem(text);
        if (problem) {
          tenantProblems.add(problem);
          throw new Error(problem);
        }
        for (const recorder of recorders) recorder.push(text);
      },
      checkRows,
    );
    watchRoundTrips(db.pool, (roundTrip) => {
      for (const recorder of roundTripRecorders) recorder.push(roundTrip);
    });
    surroundings.onDatabase?.(db);
  };
  const app = await createApp(config, { withoutDemo: true, ...surroundings, onDatabase });
  await quietly(() => app.start());
  whenFileEnds(() => app.stop());
  const quickstart = await readQuickstart(dataDir, app);
  const headers = credentialHeaders(quickstart);
  /** POSTs `{ data }` with the API key's credentials, or with other headers. */
  const call = (path: string, data: unknown, own = headers.keyHeaders): Promise<Answer> =>
    post(app.url + path, { data }, own);
  return {
    app,
    url: app.url,
    databaseUrl,
    dataDir,
    quickstart,
    ...headers,
    call,
    /** Calls, expects a success, and returns its `result.data`. */
    ok: async (path: string, data: object = {}, own = headers.keyHeaders): Promise<Loose> =>
      dataOf(await call(path, data, own)),
    /**
     * The statements of `work`, without background work of the sequencer and similar tasks, and
     * without lookups of credentials, which are cached. Event readers and workers run at any time,
     * so count on a server without their role.
     */
    async statementsOf(work: () => Promise<unknown>) {
      const recorder: string[] = [];
      recorders.add(recorder);
      await work();
      recorders.delete(recorder);
      return recorder.filter((text) => !BACKGROUND.test(text));
    },
    /** The times that `work` waited for the database, without background work. */
    async roundTripsOf(work: () => Promise<unknown>) {
      const recorder: RoundTrip[] = [];
      roundTripRecorders.add(recorder);
      await work();
      roundTripRecorders.delete(recorder);
      return recorder;
    },
  };
}

/** The server of a test file or of a `describe`, which is started before its first test. */
export function testServer(environment?: Environment, surroundings?: Surroundings): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => {
    Object.assign(server, await startTestServer(environment, surroundings));
  });
  return server;
}

/** A second server on a database has no quickstart. */
async function readQuickstart(dataDir: string, app: RunningApp): Promise<Quickstart> {
  try {
    return JSON.parse(await readFile(path.join(dataDir, 'quickstart.json'), 'utf8'));
  } catch {
    const { adminToken } = app.services.config;
    const none = { workspaceId: '', workspaceAuthToken: '', apiKey: '', authToken: '' };
    return { url: app.url, adminToken, ...none };
  }
}

type Level = 'keyHeaders' | 'workspaceHeaders' | 'adminHeaders';

export const credentialHeaders = (
  quickstart: Quickstart,
): Record<Level, Record<string, string>> => ({
  keyHeaders: {
    'x-svc-api-key': quickstart.apiKey,
    'x-svc-auth-token': quickstart.authToken,
  },
  workspaceHeaders: {
    'x-svc-workspace-id': quickstart.workspaceId,
    'x-svc-workspace-auth-token': quickstart.workspaceAuthToken,
  },
  adminHeaders: { 'x-svc-admin-token': quickstart.adminToken },
});

/**
 * POSTs a body: objects as JSON, strings unchanged. An answer that is no JSON is returned as text.
 */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: text !== '' && isJson ? JSON.parse(text) : text || undefined,
  };
}

/** The printed quickstart would hide the output of the tests. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
}

/** A second API key in the same workspace, as another tenant, with these settings. */
export async function createTenant(
  server: Pick<TestServer, 'call' | 'workspaceHeaders'>,
  settings: object = {},
): Promise<Record<string, string>> {
  const created = await server.call(
    '/v2/workspace/apikey/create',
    { ownerEmail: 'other@example.com', type: 'testing', createAuthToken: true, ...settings },
    server.workspaceHeaders,
  );
  const { apiKey } = created.body.result.data;
  const tokens = await server.call(
    '/v2/workspace/authtokens/get',
    { apiKey },
    server.workspaceHeaders,
  );
  return {
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': tokens.body.result.data.authTokens[0].token,
  };
}
