import { Client, Pool } from 'pg';
import { Database } from '../../src/platform/database/database.ts';
import type { PoolOptions } from '../../src/platform/database/open-pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { whenFileEnds } from './when-file-ends.ts';

/** A connection to a database until the end of the file. The server may end it before. */
export async function databaseClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  whenFileEnds(() => client.end());
  return client;
}

/** Connections of the driver alone to a database, until the end of the file. */
export function databasePool(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  // The database may be dropped before connections of a pool that has ended are closed, which are in use or idle.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  whenFileEnds(() => pool.end());
  return pool;
}

/** Connections of another process of the service to a database, until the end of the file. */
export function openDatabase(url: string, options: Partial<PoolOptions> = {}): Database {
  const db = new Database({ url, poolSize: 1, log: createLogger('silent'), ...options });
  whenFileEnds(() => db.close());
  return db;
}
