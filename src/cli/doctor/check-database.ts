import { Client } from 'pg';
import type { Config } from '../../config.ts';
import { SEALED_AUTH_TOKEN } from '../../features/api-keys/auth-tokens.ts';
import { Database } from '../../platform/database/database.ts';
import { hostUrls } from '../../platform/database/hosts.ts';
import { compareMigrations } from '../../platform/database/migrate.ts';
import { isSealingKey } from '../../platform/key-sentinel.ts';
import { createLogger } from '../../platform/logging.ts';
import { Secrets } from '../../platform/secrets.ts';
import { readSecretKey } from '../target.ts';
import { type Finding, fine, problem, warning } from './check.ts';
import { checkReplica } from './check-replica.ts';

/** More than this, and times of events from several processes are in another order than the events. */
const CLOCK_WARNING_MS = 1_000;
/** More than this, and tokens and signatures are refused. */
const CLOCK_PROBLEM_MS = 30_000;

/** All that is asked of a database server that answers. */
export async function checkDatabase(config: Config, databaseUrl: string): Promise<Finding[]> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return [
      await checkServer(client),
      await checkClock(client),
      await checkConnections(client, config),
      ...(await checkPooler(config)),
      ...(await checkReplica(config, databaseUrl)),
      ...(await checkSchema(config, databaseUrl)),
    ];
  } finally {
    await client.end();
  }
}

async function checkServer(client: Client): Promise<Finding> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
       pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  const { version, isReplica, size } = rows[0];
  if (!isReplica) return fine('database', `PostgreSQL ${version}, ${size}.`);
  const remedy = 'Let DATABASE_URL lead to the primary, or name all hosts in it.';
  return problem('database', `PostgreSQL ${version} is a replica and takes no writes.`, remedy);
}

/** Compares with the middle of the time that the question took. */
async function checkClock(client: Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const differenceMs = Math.round(rows[0].now - (before + Date.now()) / 2);
  const message = `The clock differs from that of the database by ${differenceMs} ms.`;
  const remedy = 'Synchronize the clocks of both machines (chrony, systemd-timesyncd).';
  if (Math.abs(differenceMs) > CLOCK_PROBLEM_MS) return problem('clock', message, remedy);
  if (Math.abs(differenceMs) > CLOCK_WARNING_MS) return warning('clock', message, remedy);
  return fine('clock', message);
}

async function checkConnections(client: Client, { databasePoolSize }: Config): Promise<Finding> {
  const { rows } = await client.query(
    `SELECT current_setting('max_connections')::int AS "most", (SELECT count(*)::int
       FROM pg_stat_activity WHERE backend_type = 'client backend') AS "used"`,
  );
  const { most, used } = rows[0];
  const message = `${used} of ${most} connections are in use, and a process takes up to ${databasePoolSize + 3}.`;
  if (used + databasePoolSize + 3 <= most) return fine('connections', message);
  const remedy = 'Lower DATABASE_POOL_SIZE, raise max_connections, or put a pooler in between.';
  return warning('connections', message, remedy);
}

/** A pooler gives its clients a process number of its own. */
async function checkPooler({ databaseUrl, directDatabaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined) return [];
  const client = new Client({ connectionString: hostUrls(databaseUrl)[0] });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    // The types of the driver leave out this number, which every server sends.
    const isPooled = rows[0].pid !== (client as Client & { processID: number }).processID;
    if (!isPooled) return [fine('pooler', 'DATABASE_URL leads to PostgreSQL itself.')];
    if (directDatabaseUrl) return [fine('pooler', 'DIRECT_DATABASE_URL leads around a pooler.')];
    const remedy = 'Set DIRECT_DATABASE_URL to PostgreSQL itself.';
    return [problem('pooler', 'DATABASE_URL leads to a connection pooler.', remedy)];
  } finally {
    await client.end();
  }
}

async function checkSchema(config: Config, databaseUrl: string): Promise<Finding[]> {
  const { missing, unknown } = await compareMigrations(databaseUrl);
  if (unknown.length > 0) {
    const message = `The schema is newer than this version (${unknown.at(-1)}).`;
    const remedy = 'Upgrade this process to the version that made the schema.';
    return [warning('schema', message, remedy), await checkKey(config, databaseUrl)];
  }
  if (missing.length > 0) {
    const message = `${missing.length} migrations are missing.`;
    return [warning('schema', message, 'Run migrate, or start the service.')];
  }
  const current = fine('schema', 'The schema is that of this version.');
  return [current, await checkKey(config, databaseUrl)];
}

/** Whether SECRET_KEY opens what is stored. */
async function checkKey(config: Config, databaseUrl: string): Promise<Finding> {
  const key = readSecretKey(config);
  const log = createLogger('silent');
  if (key === undefined) {
    const remedy = 'Set SECRET_KEY to that of the service, or let DATA_DIR lead to its folder.';
    return warning('secret key', 'There is no SECRET_KEY to check.', remedy);
  }
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const secrets = new Secrets(bytes(key), config.previousSecretKeys.map(bytes));
  const db = new Database({ url: databaseUrl, poolSize: 2, log });
  try {
    const opens = await isSealingKey(db, secrets, SEALED_AUTH_TOKEN);
    if (opens === undefined) return fine('secret key', 'Nothing is encrypted yet.');
    if (opens) return fine('secret key', 'SECRET_KEY opens what is stored.');
  } finally {
    await db.close();
  }
  const remedy =
    'Set SECRET_KEY to the key that encrypted it, or list that in PREVIOUS_SECRET_KEYS. If it is lost: secrets:rotate --accept-lost.';
  return problem('secret key', 'SECRET_KEY does not open what is stored.', remedy);
}
