import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { readDeclaredRows } from './rows/declared-rows.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database from which others are created. */
    adminUrl: string;
    /** A migrated, empty database that every test file copies. */
    templateName: string;
    redisUrl: string | undefined;
    /** The file with the declared rows; undefined if this run does not compare rows. */
    declaredRowsFile: string | undefined;
  }
}

/** Starts one PostgreSQL for the whole run, with one migrated template database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const onServices = process.env.TEST_SERVICES === '1';
  const starting = onServices ? externalServer() : embeddedServer();
  const declaredRowsFile = await writeDeclaredRows();
  const server = await starting;
  const templateName = `template_${randomBytes(6).toString('hex')}`;
  await execute(server.adminUrl, `CREATE DATABASE ${templateName}`);
  await migrate(withDatabase(server.adminUrl, templateName));
  project.provide('adminUrl', server.adminUrl);
  project.provide('templateName', templateName);
  project.provide('redisUrl', server.redisUrl);
  project.provide('declaredRowsFile', declaredRowsFile);
  return async () => {
    await execute(server.adminUrl, `DROP DATABASE ${templateName} WITH (FORCE)`);
    await server.stop();
    if (declaredRowsFile) await rm(path.dirname(declaredRowsFile), { recursive: true });
  };
}

/** Reading the source takes seconds, so runs of single files skip it. */
async function writeDeclaredRows(): Promise<string | undefined> {
  if (process.env.CHECK_ROWS !== '1') return undefined;
  const file = path.join(await makeTemporaryFolder('test-rows-'), 'declared-rows.json');
  await writeFile(file, JSON.stringify(readDeclaredRows()));
  return file;
}

/** Starts a PostgreSQL in a temporary folder, which `stop` removes. */
export async function embeddedServer() {
  const folder = await makeTemporaryFolder('test-postgres-');
  const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: quiet });
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { adminUrl: postgres.url, redisUrl: undefined, stop };
}

/** The services of `npm run test:services`. Fails with a message if one is missing. */
async function externalServer() {
  const adminUrl = process.env.TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1:5432/postgres';
  const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
  await execute(adminUrl, 'SELECT 1').catch((error: Error) => {
    throw new Error(
      `test:services needs PostgreSQL at TEST_DATABASE_URL (${new URL(adminUrl).host}): ${error.message}`,
    );
  });
  await ping(redisUrl);
  return { adminUrl, redisUrl, stop: async () => undefined };
}

async function ping(redisUrl: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw new Error(
      `test:services needs Redis at TEST_REDIS_URL (${new URL(redisUrl).host}): ${(error as Error).message}`,
    );
  } finally {
    redis.disconnect();
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs one statement, and returns its rows. */
export async function execute(url: string, statement: string, values?: unknown[]) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}
