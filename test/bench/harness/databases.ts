import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { embeddedServer, execute, withDatabase } from '../../support/global-setup.ts';
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

/** Creates a database, fills it with `prepare`, and drops it after `work`. */
export async function withFilled<Result>(
  { adminUrl }: Postgres,
  prepare: (database: Client) => Promise<void>,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  try {
    await execute(adminUrl, `CREATE DATABASE ${name}`);
    const url = withDatabase(adminUrl, name);
    await fill(url, prepare);
    return await work(url);
  } finally {
    await execute(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

/** Creates two equal databases, fills them with `prepare`, and drops them after `work`. */
export function withTwins<Result>(
  postgres: Postgres,
  prepare: (database: Client) => Promise<void>,
  work: (ours: string, baseline: string) => Promise<Result>,
): Promise<Result> {
  return withFilled(postgres, prepare, async (ours) => {
    const { adminUrl } = postgres;
    const first = new URL(ours).pathname.slice(1);
    const second = `${first}_baseline`;
    try {
      await execute(adminUrl, `CREATE DATABASE ${second} TEMPLATE ${first}`);
      return await work(ours, withDatabase(adminUrl, second));
    } finally {
      await execute(adminUrl, `DROP DATABASE IF EXISTS ${second} WITH (FORCE)`);
    }
  });
}

async function fill(url: string, prepare: (database: Client) => Promise<void>): Promise<void> {
  await migrate(url);
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    await seedCredentials(database);
    await prepare(database);
    await database.query('VACUUM ANALYZE');
  } finally {
    await database.end();
  }
}
