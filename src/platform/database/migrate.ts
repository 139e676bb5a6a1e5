import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, DatabaseError } from 'pg';
import type { Logger } from '../logging.ts';
import { reasonOf, StartError } from '../start-error.ts';
import { VERSION } from '../version.ts';
import { withClient } from './hosts.ts';

export const MIGRATIONS_FOLDER = path.join(import.meta.dirname, '../../../prisma/migrations');

/** The id of the advisory lock. Any number will do, as long as every process uses the same one. */
const MIGRATION_LOCK = 7_241_993;

/** SQLSTATE of a lock that was not granted in time. */
const LOCK_NOT_AVAILABLE = '55P03';
/** The longest wait for another process that is migrating. No migration rewrites a large table. */
const LOCK_DEADLINE_MS = 10 * 60_000;

/**
 * How long a migration waits for a table lock. Other statements queue behind it meanwhile, so it soon
 * gives up and tries again.
 */
const LOCK_TIMEOUT = '2s';
const LOCK_PAUSE_MS = 1_000;
const LOCK_ATTEMPTS = 100;
/** SQLSTATE codes after which a migration is repeated: a lock not granted in time, a deadlock. */
const RETRIED_CODES = [LOCK_NOT_AVAILABLE, '40P01'];

interface MigrateOptions {
  folder?: string;
  log?: Pick<Logger, 'info'>;
  /** How long to wait for another process that is migrating. */
  lockDeadlineMs?: number;
}

export interface Migration {
  name: string;
  sql: string;
}

/**
 * Brings the database to the newest schema. Several processes may do this at once: one migrates
 * under an advisory lock of its session; the others wait for it and find nothing to do.
 *
 * Each migration is one transaction (a test refuses statements that cannot be in one), so one that
 * fails leaves nothing behind and is tried again at the next start.
 */
export async function migrate(
  url: string,
  { folder = MIGRATIONS_FOLDER, log, lockDeadlineMs = LOCK_DEADLINE_MS }: MigrateOptions = {},
): Promise<void> {
  const migrations = await readMigrations(folder);
  const work = async (client: Client) => {
    await requireKnownSchema(client, migrations);
    await lockMigrations(client, log, lockDeadlineMs);
    const { missing } = await compareMigrations(client, migrations);
    if (missing.length === 0) return;
    await requireRights(client);
    await client.query(MIGRATIONS_TABLE);
    for (const migration of migrations) {
      if (missing.includes(migration.name)) await apply(client, migration);
    }
  };
  // Migrations have no time limit for statements, even if the role has one by default (role-defaults.ts).
  await withClient(url, work, { options: '-c statement_timeout=0' });
}

/** @throws StartError when the role of the connection may not create tables and extensions */
export async function requireRights(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query(`
    SELECT current_user AS role, current_database() AS database,
      COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)
        AND (has_database_privilege(current_database(), 'CREATE')
          OR to_regnamespace('pgboss') IS NOT NULL
            AND EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')) AS "mayCreate"`);
  const { role, database, mayCreate } = rows[0];
  if (mayCreate) return;
  throw new StartError(
    `The role ${role} may not create tables, schemas and extensions in the database ${database}. Make it the owner of the database: ALTER DATABASE "${database}" OWNER TO "${role}".`,
  );
}

/** @throws StartError when another session holds the lock until the deadline */
async function lockMigrations(
  client: Client,
  log: Pick<Logger, 'info'> | undefined,
  deadlineMs: number,
): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS "isOurs"', [
    MIGRATION_LOCK,
  ]);
  if (rows[0]?.isOurs) return;
  const holder = await holderOfLock(client);
  log?.info({ holder }, 'Another process is migrating the database. This one waits for it.');
  try {
    await client.query(`SET lock_timeout = ${deadlineMs}`);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query('RESET lock_timeout');
  } catch (error) {
    if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new StartError(
      `Another process has held the lock for migrations for ${Math.round(deadlineMs / 1000)} seconds (process ${(await holderOfLock(client)) ?? 'unknown'} of PostgreSQL). If it hangs, end it with pg_terminate_backend, and start again. If a connection pooler holds the lock, set DIRECT_DATABASE_URL.`,
    );
  }
}

/** The PostgreSQL process that holds the lock for migrations; null if the lock is free by now. */
async function holderOfLock(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND objid = $1 AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.pid ?? null;
}

/**
 * Compares the schema of a database with that of this version, by the names of migrations. The first
 * migration in the folder replaces all migrations of earlier releases.
 *
 * @throws StartError when the database was last migrated by a release before the previous one
 */
export async function compareMigrations(client: Pick<Client, 'query'>, migrations: Migration[]) {
  const query =
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL';
  const applied = await namesIn(client, '_prisma_migrations', query);
  const own = migrations.map(({ name }) => name);
  const [first = ''] = own;
  if (applied.length > 0 && !applied.includes(first)) {
    throw new StartError(
      `The database has the schema of a release that this version (${VERSION}) cannot upgrade. Upgrade it to the release before this one first.`,
    );
  }
  return {
    missing: own.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => name > first && !own.includes(name)),
  };
}

/**
 * Returns a migration that a version must know to serve the database, because the migration removed something,
 * but that this version does not know; undefined if there is none.
 */
export async function unknownRequirement(client: Pick<Client, 'query'>, migrations: Migration[]) {
  const query = 'SELECT migration AS name FROM schema_requirements ORDER BY migration';
  const required = await namesIn(client, 'schema_requirements', query);
  const known = new Set(migrations.map(({ name }) => name));
  return required.find((name) => !known.has(name));
}

/** @throws StartError when this version is too old for the database */
export async function requireKnownSchema(
  client: Pick<Client, 'query'>,
  migrations: Migration[],
): Promise<void> {
  const needed = await unknownRequirement(client, migrations);
  if (needed !== undefined) throw new StartError(tooOld(needed));
}

/** Reads names from a table. If the table does not exist yet, there are none. */
async function namesIn(client: Pick<Client, 'query'>, table: string, query: string) {
  const found = await client.query('SELECT to_regclass($1) AS name', [table]);
  if (found.rows[0]?.name === null) return [];
  const { rows } = await client.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}

export const tooOld = (migration: string): string =>
  `The schema of the database is newer than this version (${VERSION}) can serve: it needs a version that knows the migration ${migration}.`;

export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(path.join(folder, name, 'migration.sql'), 'utf8'),
    })),
  );
}

/** SQL that creates the table of `prisma migrate`, so that Prisma can also apply migrations. */
const MIGRATIONS_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0)`;

/** @throws StartError when the migration fails */
async function apply(client: Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOnce(client, migration);
    } catch (error) {
      // Without a connection, PostgreSQL rolls back by itself.
      await client.query('ROLLBACK').catch(() => undefined);
      const isRetried = RETRIED_CODES.includes((error as DatabaseError).code ?? '');
      if (isRetried && attempt < LOCK_ATTEMPTS) await delay(LOCK_PAUSE_MS);
      else {
        throw new StartError(
          `The database could not be migrated (${migration.name}): ${reasonOf(error)}\n` +
            'Nothing of the failed migration was applied. Correct the cause and start again: the migration is then repeated.',
        );
      }
    }
  }
}

async function applyOnce(client: Client, { name, sql }: Migration): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query(sql);
  const checksum = createHash('sha256').update(sql).digest('hex');
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  );
  await client.query('COMMIT');
}
