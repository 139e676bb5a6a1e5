import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { databaseClient } from '../../support/database-client.ts';
import { embeddedServer, execute, withDatabase } from '../../support/global-setup.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';
import { seedCredentials } from './credentials.ts';

export interface Postgres {
  adminUrl: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return { adminUrl: given, stop: async () => undefined };
  return embeddedServer();
}

/** A database that `prepare` has filled. It is dropped at the end of the benchmark. @returns its URL */
export async function filledDatabase(
  postgres: Postgres,
  prepare: (database: Client) => Promise<void>,
): Promise<string> {
  const url = await createDatabase(postgres, `bench_${randomBytes(6).toString('hex')}`);
  await migrate(url);
  const database = await databaseClient(url);
  await seedCredentials(database);
  await prepare(database);
  await database.query('VACUUM ANALYZE');
  await database.end();
  return url;
}

/** Such a database, and another one that is equal. */
export async function twinDatabases(
  postgres: Postgres,
  prepare: (database: Client) => Promise<void>,
): Promise<[ours: string, baseline: string]> {
  const ours = await filledDatabase(postgres, prepare);
  const name = new URL(ours).pathname.slice(1);
  return [ours, await createDatabase(postgres, `${name}_baseline`, `TEMPLATE ${name}`)];
}

async function createDatabase({ adminUrl }: Postgres, name: string, from = ''): Promise<string> {
  whenFileEnds(() => execute(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  await execute(adminUrl, `CREATE DATABASE ${name} ${from}`);
  return withDatabase(adminUrl, name);
}
