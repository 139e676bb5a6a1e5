import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { checkDatabase } from '../../src/cli/doctor/check-database.ts';
import { requireSupportedServer } from '../../src/platform/database/server-version.ts';
import { editorsOf } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { execute } from '../support/global-setup.ts';
import { endProcess } from '../support/processes.ts';
import {
  createDatabase,
  emptyDatabase,
  startTestServer,
  type TestServer,
} from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

/** Where Debian's package `pgbouncer` installs it. */
const PROGRAM = '/usr/sbin/pgbouncer';

/**
 * A PgBouncer that hands each transaction to any of few connections, ended at the end of the file.
 *
 * @returns the URL of the same database through it
 */
async function startPgBouncer(databaseUrl: string): Promise<string> {
  const target = new URL(databaseUrl);
  const { hostname, username, password } = target;
  const port = await freePort();
  const folder = await temporaryFolder('test-pgbouncer-');
  const file = path.join(folder, 'pgbouncer.ini');
  const server = `host=${hostname} port=${target.port || 5432} user=${decodeURIComponent(username)}`;
  await writeFile(
    file,
    `[databases]
* = ${server}${password && ` password=${decodeURIComponent(password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  );
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const bouncer = spawn(PROGRAM, [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  whenFileEnds(() => endProcess(bouncer));
  // A query would make PgBouncer open a connection, which would lack the settings that the role gets later.
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  });
  target.hostname = '127.0.0.1';
  target.port = String(port);
  return target.href;
}

/** Two processes that share four connections, any of which serves any transaction. */
describe.skipIf(!existsSync(PROGRAM))('behind PgBouncer in transaction mode', () => {
  let direct: string;
  let one: TestServer;
  let two: TestServer;
  let plan: Awaited<ReturnType<typeof editorsOf>>;
  const warnings: string[] = [];
  beforeAll(async () => {
    direct = await createDatabase();
    const DATABASE_URL = await startPgBouncer(direct);
    const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) });
    const REDIS_URL = inject('redisUrl') ?? '';
    const FILES_DIR = await temporaryFolder('test-files-');
    const environment = { DATABASE_URL, DIRECT_DATABASE_URL: direct, REDIS_URL, FILES_DIR };
    one = await startTestServer(environment, { log });
    two = await startTestServer(environment, { log });
    plan = await editorsOf(one);
  });

  it('sessions have their limits as defaults of the role', async () => {
    const url = one.app.services.config.databaseUrl ?? '';
    const settings = {
      jit: 'off',
      plan_cache_mode: 'force_generic_plan',
      statement_timeout: '30s',
      idle_in_transaction_session_timeout: '30s',
      DateStyle: 'ISO, MDY',
    };
    for (const [name, value] of Object.entries(settings)) {
      expect(await execute(url, `SHOW ${name}`)).toEqual([{ [name]: value }]);
    }
  });

  it('no process starts without DIRECT_DATABASE_URL, and the doctor says that it is missing', async () => {
    // Nobody else uses this one, so it serves any transaction by the connection of the one before.
    const unused = await startPgBouncer(direct);
    await expect(requireSupportedServer(unused)).rejects.toThrow('Set DIRECT_DATABASE_URL');
    await requireSupportedServer(direct);
    const { config } = one.app.services;
    const url = config.databaseUrl ?? '';
    const findings = await checkDatabase({ ...config, directDatabaseUrl: undefined }, url);
    const states = Object.fromEntries(findings.map(({ about, state }) => [about, state]));
    expect(states).toMatchObject({ pooler: 'problem', schema: 'fine', 'secret key': 'fine' });
  });

  it('no process starts, and none migrates, where DIRECT_DATABASE_URL leads to another database', async () => {
    const other = await emptyDatabase();
    const environment = { DATABASE_URL: direct, DIRECT_DATABASE_URL: other };
    await expect(startTestServer(environment)).rejects.toThrow('leads to a different database');
    expect(await execute(other, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    const { config } = one.app.services;
    const findings = await checkDatabase({ ...config, directDatabaseUrl: other }, direct);
    expect(findings.find(({ about }) => about === 'pooler')).toMatchObject({ state: 'problem' });
  });

  it('concurrent changes over both processes are all made', async () => {
    const path = '/v2/organizations/documents/add';
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        const server = writer % 2 === 0 ? one : two;
        const own = [];
        for (let count = 0; count < 5; count++) {
          const documents = [{ documentId: `d-${writer}-${count}` }];
          const data = { organizationId: 'acme', documents };
          own.push((await server.call(path, data, one.keyHeaders)).status);
        }
        return own;
      }),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
  });

  it('an edit reaches editors of the other process, and the log, and nothing was warned of', async () => {
    const [here, there] = [await plan.open('body'), await plan.open('body', { at: two })];
    here.text.insert(0, 'pooled');
    await eventually(() => expect(there.text.toString()).toBe('pooled'));
    await here.sent();
    await eventually(async () => {
      const rows = await one.app.services.backlog.read(one.app.services.db, new Date());
      expect(rows.filter(({ waiting }) => waiting > 0)).toEqual([]);
    });
    expect(warnings).toEqual([]);
  });
});
