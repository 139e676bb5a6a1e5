import files, { mkdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { migrate } from '../../src/platform/database/migrate.ts';
import { requireSupportedServer } from '../../src/platform/database/server-version.ts';
import { databaseClient } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { emptyDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

let folder: string;
let databaseUrl: string;

beforeEach(async () => {
  folder = await temporaryFolder('test-migrations-');
  databaseUrl = await emptyDatabase();
});

async function writeMigration(name: string, statements: string, into = folder): Promise<void> {
  await mkdir(path.join(into, name), { recursive: true });
  await writeFile(path.join(into, name, 'migration.sql'), statements);
}

async function tables(): Promise<string[]> {
  const rows = await execute(
    databaseUrl,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => name !== '_prisma_migrations');
}

describe('migrations', () => {
  it('run once when several processes start at the same time', async () => {
    await writeMigration('1_first', 'CREATE TABLE first (id int);');
    await writeMigration('2_second', 'CREATE TABLE second (id int);');
    await Promise.all([1, 2, 3, 4].map(() => migrate(databaseUrl, { folder })));
    expect(await tables()).toEqual(['first', 'second']);
  });

  it.each([
    ['fail half-way', 'CREATE TABLE oops (id no_such_type)', 'no_such_type'],
    [
      'lose their connection',
      'SELECT pg_terminate_backend(pg_backend_pid())',
      'terminating connection',
    ],
  ])(
    'that %s leave nothing behind, report the error, and run again once fixed',
    async (_, statement, reason) => {
      await writeMigration('1_first', 'CREATE TABLE first (id int);');
      await writeMigration('2_second', `CREATE TABLE half (id int); ${statement};`);
      await expect(migrate(databaseUrl, { folder })).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(new RegExp(`2_second.*${reason}`, 's')),
      });
      expect(await tables()).toEqual(['first']);

      await writeMigration('2_second', 'CREATE TABLE half (id int);');
      await migrate(databaseUrl, { folder });
      expect(await tables()).toEqual(['first', 'half']);
    },
  );

  it('of a database that has skipped a release are refused, with a sentence that says so', async () => {
    await writeMigration('1_first', 'CREATE TABLE first (id int);');
    await migrate(databaseUrl, { folder });
    const later = await temporaryFolder('test-migrations-');
    await writeMigration('2_second', 'CREATE TABLE first (id int);', later);
    await expect(migrate(databaseUrl, { folder: later })).rejects.toThrow(/before this one first/);
  });
});

it('a migration that waits for the lock of a table gives way to others that need the table, and is made once it has the lock', async () => {
  await writeMigration('1_first', 'CREATE TABLE first (id int);');
  await migrate(databaseUrl, { folder });
  const holder = await holdTransaction(databaseUrl, 'SELECT * FROM first');
  await writeMigration('2_second', 'ALTER TABLE first ADD COLUMN name text;');
  const migrated = migrate(databaseUrl, { folder });
  await eventually(async () => {
    const waiting = `SELECT FROM pg_locks WHERE relation = 'first'::regclass AND NOT granted`;
    expect(await execute(databaseUrl, waiting)).toHaveLength(1);
  });
  await execute(databaseUrl, 'SELECT * FROM first');
  await holder.release();
  await migrated;
  expect(await execute(databaseUrl, 'SELECT id, name FROM first')).toEqual([]);
});

it('the lock for migrations is waited for with a line in the log, and given up at a deadline that names its holder', async () => {
  const holder = await databaseClient(databaseUrl);
  const lock = 'SELECT pg_advisory_lock(7241993), pg_backend_pid() AS pid';
  const { pid } = (await holder.query(lock)).rows[0];
  const lines: object[] = [];
  const log = { info: (facts: object) => void lines.push(facts) };
  await writeMigration('1_first', 'CREATE TABLE first (id int);');
  const waiting = migrate(databaseUrl, { folder, log: log as never, lockDeadlineMs: 200 });
  await expect(waiting).rejects.toThrow(new RegExp(`process ${pid} of PostgreSQL`));
  expect(lines).toEqual([{ holder: pid }]);
  await holder.end();
  await migrate(databaseUrl, { folder });
  expect(await tables()).toEqual(['first']);
});

describe('the migrations of the product', () => {
  it('use the schema of the search path, with the rights of an ordinary owner', async () => {
    const role = `owner_${path.basename(new URL(databaseUrl).pathname)}`;
    const admin = inject('adminUrl');
    await execute(admin, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
    try {
      const url = Object.assign(new URL(databaseUrl), { username: role, password: 'x' });
      await execute(admin, `GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO ${role}`);
      url.searchParams.set('options', '-c search_path=app');
      await execute(url.href, 'CREATE SCHEMA app');
      await requireSupportedServer(url.href);
      await Promise.all([1, 2, 3].map(() => migrate(url.href)));
      expect(await tables()).toEqual([]);
      await execute(url.href, 'SELECT FROM memory_spellings WHERE ascii % ascii');
    } finally {
      await execute(databaseUrl, `DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
    }
  });

  it('use an existing extension pg_trgm, or report that they cannot create it', async () => {
    await execute(
      databaseUrl,
      'CREATE SCHEMA elsewhere; CREATE EXTENSION pg_trgm SCHEMA elsewhere',
    );
    await expect(requireSupportedServer(databaseUrl)).rejects.toThrow(
      /pg_trgm is in the schema elsewhere.*Add this schema to the search_path/,
    );
    const url = new URL(databaseUrl);
    url.searchParams.set('options', '-c search_path=public,elsewhere');
    await requireSupportedServer(url.href);
    await migrate(url.href);
    expect(await tables()).toContain('memory_spellings');
  });
});

it('a schema that needs a newer version is reported by /readyz of a running process, and refused at a start', async () => {
  const server = await startTestServer({ ROLES: 'api' });
  const query = (text: string) => execute(server.databaseUrl, text);
  const ready = () => fetch(`${server.url}/readyz`);
  expect((await ready()).status).toBe(200);
  await query(`INSERT INTO schema_requirements VALUES ('29990101000000_contract')`);
  const answer = await ready();
  expect(answer.status).toBe(503);
  expect((await answer.json()).problem).toMatch(/newer than this version .* 29990101000000/);
  const { databaseUrl: DATABASE_URL } = server;
  await expect(startTestServer({ DATABASE_URL })).rejects.toThrow(/29990101000000_contract/);
  await query('DELETE FROM schema_requirements');
  expect((await ready()).status).toBe(200);
});

it('a process is not ready while it cannot read its migrations, and ready again when it can', async () => {
  const { url } = await startTestServer({ ROLES: 'api' });
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  const refused = new Error('EMFILE: too many open files');
  const readdir = vi.spyOn(files, 'readdir').mockRejectedValueOnce(refused);
  syncBuiltinESMExports();
  whenTestEnds(() => {
    readdir.mockRestore();
    syncBuiltinESMExports();
  });
  expect(await ready()).toBe(503);
  expect(await ready()).toBe(200);
});
