import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { Client } from 'pg';
import { reasonOf, StartError } from '../start-error.ts';

export const MIGRATIONS_FOLDER = path.join(import.meta.dirname, '../../../prisma/migrations');

/** Any number will do, as long as every process uses the same. */
const MIGRATION_LOCK = 7_241_993;

interface Migration {
  name: string;
  sql: string;
}

/**
 * Brings the database to the newest schema. Safe with several processes at once: one migrates
 * under an advisory lock, the others wait for it and find nothing to do.
 *
 * Each migration is one transaction (a test refuses statements that cannot be in one), so one that
 * fails leaves nothing behind and is tried again at the next start.
 */
export async function migrate(databaseUrl: string, folder = MIGRATIONS_FOLDER): Promise<void> {
  const migrations = await readMigrations(folder);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (await isUpToDate(client, migrations)) return;
    await applyMigrations(databaseUrl, folder, migrations);
  } finally {
    await client.end();
  }
}

/** True when every migration of this version is applied: what `/readyz` asks. */
export async function isUpToDate(
  client: Pick<Client, 'query'>,
  migrations: Migration[],
): Promise<boolean> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`);
  if (table.rows[0]?.name === null) return migrations.length === 0;
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
  );
  const applied = new Set(rows.map((row) => row.name));
  return migrations.every(({ name }) => applied.has(name));
}

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

async function applyMigrations(
  databaseUrl: string,
  folder: string,
  migrations: Migration[],
): Promise<void> {
  try {
    // Most starts have nothing to migrate, and do without the engine.
    const { withSchemaEngine } = await import('./schema-engine.ts');
    await withSchemaEngine(databaseUrl, (engine) =>
      engine.applyMigrations({
        migrationsList: migrationList(folder, migrations),
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
  } catch (error) {
    const failed = await rollBackFailedMigration(databaseUrl);
    throw new StartError(
      `The database could not be migrated${failed ? ` (${failed})` : ''}: ${reasonOf(error)}\n` +
        'Nothing of the failed migration was applied. Mend the cause and start again; it will be tried again.',
    );
  }
}

/** Prisma refuses to go on after a failed migration until somebody says that it was rolled back. */
async function rollBackFailedMigration(databaseUrl: string): Promise<string | undefined> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ migration_name: string }>(
      `UPDATE _prisma_migrations SET rolled_back_at = now()
       WHERE finished_at IS NULL AND rolled_back_at IS NULL RETURNING migration_name`,
    );
    return rows[0]?.migration_name;
  } finally {
    await client.end();
  }
}

function migrationList(folder: string, migrations: Migration[]): MigrationList {
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}
