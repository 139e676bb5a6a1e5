import { Client } from 'pg';
import { StartError } from '../start-error.ts';
import type { Database } from './database.ts';
import { isUpToDate, readMigrations } from './migrate.ts';

/** The oldest server whose SQL ours is: 15, as PostgreSQL writes it. */
const OLDEST = 150_000;

/**
 * Makes sure that a server answers at the URL and is new enough.
 *
 * @throws StartError that says which of the two is wrong, without the password in the URL.
 */
export async function requireSupportedServer(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version_num') AS version`,
    );
    requireVersion(Number(rows[0]?.version));
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { host, pathname } = new URL(databaseUrl);
    throw new StartError(
      `The database at ${host}${pathname} (DATABASE_URL) cannot be used: ${reason(error)}.`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function requireVersion(versionNumber: number): void {
  if (versionNumber >= OLDEST) return;
  throw new StartError(
    `The database is PostgreSQL ${Math.floor(versionNumber / 10_000)}, and 15 or newer is needed.`,
  );
}

/** `AggregateError`s, from hosts with several addresses, have no message of their own. */
const reason = (error: unknown): string =>
  error instanceof AggregateError ? reason(error.errors[0]) : (error as Error).message;

/** What keeps the database from being used, or nothing. */
export async function isReady(db: Database): Promise<string | undefined> {
  try {
    const current = await isUpToDate(db.pool, await readMigrations());
    return current ? undefined : 'The database is not migrated.';
  } catch {
    return 'The database cannot be reached.';
  }
}
