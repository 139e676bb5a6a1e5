import type { Client } from 'pg';
import type { Config } from '../../config.ts';
import { Database } from '../../platform/database/database.ts';
import { withClient } from '../../platform/database/hosts.ts';
import {
  compareMigrations,
  readMigrations,
  requireRights,
  unknownRequirement,
} from '../../platform/database/migrate.ts';
import { replayedPosition, writtenPosition } from '../../platform/database/replica.ts';
import { requireSameDatabase } from '../../platform/database/server-version.ts';
import { isSealingKey } from '../../platform/key-sentinel.ts';
import { createLogger } from '../../platform/logging.ts';
import { Secrets } from '../../platform/secrets.ts';
import { reasonOf } from '../../platform/start-error.ts';
import { readSecretKey } from '../target.ts';
import { type Check, type Finding, fine, problem, runChecks, warning } from './check.ts';

/** Above this difference between the clocks, webhook receivers and sign-in providers may notice. */
const CLOCK_WARNING_MS = 1_000;
/** Above this difference, webhook receivers and sign-in providers refuse signatures. */
const CLOCK_PROBLEM_MS = 30_000;

/** Runs all checks that need a connection to the database. */
export async function checkDatabase(config: Config, databaseUrl: string): Promise<Finding[]> {
  const work = async (client: Client) => {
    const remedy = 'Check DATABASE_URL, DIRECT_DATABASE_URL, and the rights of their role.';
    const checks: Array<[about: string, run: Check['run']]> = [
      ['database', () => checkServer(client)],
      ['clock', () => checkClock(client)],
      ['pooler', () => checkPooler(config)],
      ['replica', () => checkReplica(config, databaseUrl)],
      ['schema', () => checkSchema(client)],
    ];
    const { rows } = await client.query(`SELECT to_regclass('processes') AS name`);
    if (rows[0].name !== null) {
      checks.push(['secret key', () => checkKey(config, databaseUrl)]);
      checks.push(['processes', () => checkProcesses(client, config)]);
    }
    return runChecks(checks.map(([about, run]) => ({ about, remedy, run })));
  };
  return withClient(databaseUrl, work, { connectionTimeoutMillis: 10_000 });
}

async function checkServer(client: Client): Promise<Finding> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
       pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  const { version, isReplica, size } = rows[0];
  if (!isReplica) return fine(`PostgreSQL ${version}, ${size}.`);
  const remedy = 'Set DATABASE_URL to the primary, or name all hosts in it.';
  return problem(`PostgreSQL ${version} is a replica and accepts no writes.`, remedy);
}

/** Compares the database clock with the middle of the time that the query took. */
async function checkClock(client: Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const differenceMs = Math.round(rows[0].now - (before + Date.now()) / 2);
  const message = `The clock differs from that of the database by ${differenceMs} ms.`;
  const remedy = 'Synchronize the clocks of both machines (chrony, systemd-timesyncd).';
  if (Math.abs(differenceMs) > CLOCK_PROBLEM_MS) return problem(message, remedy);
  if (Math.abs(differenceMs) > CLOCK_WARNING_MS) return warning(message, remedy);
  return fine(message);
}

/** Recognizes a pooler by the process number, which the pooler and PostgreSQL report differently. */
async function checkPooler({ databaseUrl, directDatabaseUrl }: Config) {
  if (databaseUrl === undefined) return undefined;
  if (directDatabaseUrl !== undefined) await requireSameDatabase(directDatabaseUrl, databaseUrl);
  const isPooled = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    // The types of the driver omit this number, which every server sends.
    return rows[0].pid !== (client as Client & { processID: number }).processID;
  });
  if (!isPooled) return fine('DATABASE_URL leads to PostgreSQL itself.');
  if (directDatabaseUrl) return fine('DIRECT_DATABASE_URL bypasses the pooler.');
  const remedy = 'Set DIRECT_DATABASE_URL to PostgreSQL itself.';
  return problem('DATABASE_URL leads to a connection pooler.', remedy);
}

/** Checks whether READ_DATABASE_URL leads to a replica of the database. */
export async function checkReplica(
  { readDatabaseUrl }: Pick<Config, 'readDatabaseUrl'>,
  databaseUrl: string,
): Promise<Finding | undefined> {
  if (readDatabaseUrl === undefined) return undefined;
  const primary = connect(databaseUrl);
  const replica = connect(readDatabaseUrl);
  try {
    const replayed = await replayedPosition(replica);
    const written = await writtenPosition(primary);
    if (replayed.lineage !== written.lineage || replayed.bytes === 0n) {
      const remedy = 'Set READ_DATABASE_URL to a streaming replica of the database.';
      return problem('READ_DATABASE_URL does not lead to a replica of the database.', remedy);
    }
    return fine(`The replica is ${written.bytes - replayed.bytes} bytes behind in the log.`);
  } catch (error) {
    const remedy =
      'Check READ_DATABASE_URL. Until the replica responds, lists are read from the primary.';
    return warning(`The replica does not respond (${reasonOf(error)}).`, remedy);
  } finally {
    await Promise.all([primary.close(), replica.close()]);
  }
}

/** Connects as if through a pooler, since wrong settings may lead to one. */
const connect = (url: string): Database =>
  new Database({ url, poolSize: 1, log: createLogger('silent'), isPooled: true });

async function checkSchema(client: Client): Promise<Finding> {
  const migrations = await readMigrations();
  const { missing, unknown } = await compareMigrations(client, migrations);
  if (missing.length > 0) {
    await requireRights(client);
    const message = `${missing.length} migrations are missing.`;
    return warning(message, 'Run migrate, or start the service.');
  }
  if (unknown.length === 0) return fine('The schema is that of this version.');
  const message = `The schema is newer than this version (${unknown.at(-1)}).`;
  const remedy = 'Upgrade this process to the version that made the schema.';
  const isTooOld = (await unknownRequirement(client, migrations)) !== undefined;
  return isTooOld ? problem(message, remedy) : warning(message, remedy);
}

/** Checks whether SECRET_KEY decrypts the stored secrets. */
async function checkKey(config: Config, databaseUrl: string): Promise<Finding> {
  const key = readSecretKey(config);
  if (key === undefined) {
    const remedy = 'Set SECRET_KEY to the key of the service, or DATA_DIR to its folder.';
    return warning('There is no SECRET_KEY to check.', remedy);
  }
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const secrets = new Secrets(bytes(key), config.previousSecretKeys.map(bytes));
  const db = connect(databaseUrl);
  try {
    const decrypts = await isSealingKey(db, secrets);
    if (decrypts === undefined) return fine('Nothing is encrypted yet.');
    if (decrypts) return fine('SECRET_KEY decrypts the stored secrets.');
  } finally {
    await db.close();
  }
  const remedy =
    'Set SECRET_KEY to the key that encrypted them, or add that key to PREVIOUS_SECRET_KEYS. If it is lost, run secrets:rotate --accept-lost.';
  return problem('SECRET_KEY does not decrypt the stored secrets.', remedy);
}

/** A process that has not written its row for this long has crashed. It writes the row once a minute. */
const SEEN_SECONDS = 130;
/** The connections of a process in addition to its pool: they order events, listen for events, and check for dead connections. */
const EXTRA_CONNECTIONS = 3;

interface RunningProcesses {
  count: number;
  /** The connections that the pools of all processes may open. */
  pooled: number;
  /** The connections to PostgreSQL that are open now. */
  used: number;
  maxConnections: number;
}

/** Checks that the running processes share Redis and do not need too many database connections. */
async function checkProcesses(client: Client, config: Config): Promise<Finding[]> {
  const { rows } = await client.query<RunningProcesses>(
    `SELECT count(*)::int AS count,
       COALESCE(sum((state->'database'->>'most')::int), 0)::int AS pooled,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS "maxConnections"
     FROM processes
     WHERE stopped_at IS NULL AND seen_at > clock_timestamp() - $1 * interval '1 second'`,
    [SEEN_SECONDS],
  );
  const [running] = rows;
  if (!running) return [];
  const findings = [{ about: 'connections', ...checkConnections(running, config) }];
  if (config.redisUrl !== undefined) return findings;
  const message = `REDIS_URL is not set. Running processes: ${running.count}.`;
  const remedy = 'Set REDIS_URL to the same Redis for all processes.';
  const shared = running.count < 2 ? fine(message) : problem(message, remedy);
  return [...findings, { about: 'redis', ...shared }];
}

/** Checks that there are enough connections. A pooler shares its own, so the processes behind it may open more in total. */
function checkConnections(
  { count, pooled, used, maxConnections }: RunningProcesses,
  config: Config,
): Finding {
  const perProcess = config.databasePoolSize + EXTRA_CONNECTIONS;
  const total = pooled + count * EXTRA_CONNECTIONS;
  const message = `${used} of ${maxConnections} connections are in use. A process uses up to ${perProcess}, and all running processes (${count}) use up to ${total}.`;
  const isEnough =
    used + perProcess <= maxConnections &&
    (total <= maxConnections || config.directDatabaseUrl !== undefined);
  if (isEnough) return fine(message);
  const remedy = 'Lower DATABASE_POOL_SIZE, raise max_connections, or put a pooler in between.';
  return warning(message, remedy);
}
