import type { Client } from 'pg';
import type { Logger } from '../logging.ts';
import { reasonOf, StartError } from '../start-error.ts';
import { hostUrls, withClient } from './hosts.ts';

/** The oldest supported version, PostgreSQL 15, in the notation of `server_version_num`. */
const OLDEST_VERSION = 150_000;

/** The properties of a server that are checked before it is migrated. */
interface ServerFacts {
  version: string;
  /** The id of the server's process. A pooler reports another number to its clients. */
  pid: number;
  encoding: string;
  /** Whether pg_trgm is installed in this database, or can be. */
  hasTrigrams: boolean;
  /** The schema of pg_trgm when it is not on the search path. */
  hiddenSchema: string | null;
}

/**
 * Makes sure that a database server can be reached at the URL, is new enough, and has the encoding
 * and the extension that we need.
 *
 * @throws StartError that says what is wrong, without the password in the URL
 */
export const requireSupportedServer = (url: string, log?: Logger): Promise<void> =>
  connectTo(url, (client) => requireSupportedSettings(client, url, log));

/** Runs work on a connection. @throws StartError that says why the database cannot be used */
async function connectTo<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const timeouts = { connectionTimeoutMillis: 10_000, query_timeout: 10_000 };
  try {
    return await withClient(url, work, timeouts);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { host, pathname } = new URL(hostUrls(url)[0] ?? '');
    throw new StartError(
      `The database at ${host}${pathname} (DATABASE_URL) cannot be used: ${reasonOf(error)}.`,
    );
  }
}

/**
 * Makes sure that both URLs lead to one database, directly and through a pooler. Otherwise a process would
 * migrate one and serve the other.
 *
 * @throws StartError when they do not
 */
export async function requireSameDatabase(directUrl: string, pooledUrl: string): Promise<void> {
  if ((await identityOf(directUrl)) === (await identityOf(pooledUrl))) return;
  throw new StartError('DIRECT_DATABASE_URL leads to a different database than DATABASE_URL.');
}

/** The name of a database, and the time at which its server started. A copy has another start time. */
const identityOf = (url: string): Promise<unknown> =>
  connectTo(url, async (client) => {
    const { rows } = await client.query(`
      SELECT current_database() || extract(epoch FROM pg_postmaster_start_time()) AS identity`);
    return rows[0]?.identity;
  });

async function requireSupportedSettings(client: Client, url: string, log?: Logger): Promise<void> {
  const { rows } = await client.query<ServerFacts>(`
    SELECT current_setting('server_version_num') AS version, pg_backend_pid() AS pid,
      current_setting('server_encoding') AS encoding,
      EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS "hasTrigrams",
      (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
       WHERE extname = 'pg_trgm' AND nspname <> ALL(current_schemas(true))) AS "hiddenSchema"`);
  const [facts] = rows;
  if (facts?.pid !== client.processID) {
    await requireSessionPooling(url, facts?.pid);
    log?.warn(
      {},
      'A connection pooler is between this process and PostgreSQL. Set DIRECT_DATABASE_URL to PostgreSQL itself.',
    );
  }
  requireVersion(Number(facts?.version));
  requireEncoding(facts?.encoding ?? '');
  requireTrigrams(facts?.hasTrigrams ?? false, facts?.hiddenSchema ?? null);
}

/**
 * Makes sure that a pooler gives each connection a PostgreSQL process of its own. Connections that
 * share a process would mix up their prepared statements and their locks.
 *
 * @param pid the process that serves an open connection
 * @throws StartError when the same process serves a second connection, too
 */
async function requireSessionPooling(url: string, pid: number | undefined): Promise<void> {
  const other = await connectTo(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]?.pid;
  });
  if (other !== pid) return;
  throw new StartError(
    'DATABASE_URL leads to a connection pooler that pools transactions. Set DIRECT_DATABASE_URL to PostgreSQL itself.',
  );
}

export function requireVersion(versionNumber: number): void {
  if (versionNumber >= OLDEST_VERSION) return;
  throw new StartError(
    `The database is PostgreSQL ${Math.floor(versionNumber / 10_000)}, but 15 or newer is needed.`,
  );
}

/** Requires UTF8, or SQL_ASCII, which stores the bytes of UTF-8 unchanged. Other encodings lack most characters. */
export function requireEncoding(encoding: string): void {
  if (['UTF8', 'SQL_ASCII'].includes(encoding)) return;
  throw new StartError(`The database has the encoding ${encoding}, but UTF8 is needed.`);
}

export function requireTrigrams(hasTrigrams: boolean, hiddenSchema: string | null): void {
  if (!hasTrigrams) {
    throw new StartError(
      'The database server lacks the extension pg_trgm. Install the package with the additional modules of PostgreSQL (postgresql-contrib).',
    );
  }
  if (hiddenSchema !== null) {
    throw new StartError(
      `The extension pg_trgm is in the schema ${hiddenSchema} of the database. Add this schema to the search_path.`,
    );
  }
}
