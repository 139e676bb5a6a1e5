import type { Client } from 'pg';
import type { Config } from '../../config.ts';
import { SEALED_AUTH_TOKEN } from '../../features/api-keys/auth-tokens.ts';
import { Database } from '../../platform/database/database.ts';
import { hostUrls } from '../../platform/database/hosts.ts';
import { compareMigrations, requireRights } from '../../platform/database/migrate.ts';
import { isSealingKey } from '../../platform/key-sentinel.ts';
import { createLogger } from '../../platform/logging.ts';
import { Secrets } from '../../platform/secrets.ts';
import { readSecretKey } from '../target.ts';
import { withClient } from '../with-database.ts';
import { type Finding, fine, problem, runChecks, warning } from './check.ts';
import { checkProcesses } from './check-processes.ts';
import { checkReplica } from './check-replica.ts';

/** More than this, and receivers of webhooks and providers of sign-in may notice. */
const CLOCK_WARNING_MS = 1_000;
/** More than this, and they refuse signatures. */
const CLOCK_PROBLEM_MS = 30_000;

/** All that is asked of a database server that answers. */
export async function checkDatabase(config: Config, databaseUrl: string): Promise<Finding[]> {
  const options = { connectionString: databaseUrl, connectionTimeoutMillis: 10_000 };
  return withClient(options, async (client) => {
    const remedy = 'Check DATABASE_URL, DIRECT_DATABASE_URL, and the rights of their role.';
    const checks: Array<[about: string, run: () => Promise<Finding[]>]> = [
      ['database', () => checkServer(client)],
      ['clock', () => checkClock(client)],
      ['pooler', () => checkPooler(config)],
      ['replica', () => checkReplica(config, databaseUrl)],
      ['schema', () => checkSchema(client, databaseUrl)],
    ];
    const { rows } = await client.query(`SELECT to_regclass('processes') AS name`);
    if (rows[0].name !== null) {
      checks.push(['secret key', () => checkKey(config, databaseUrl)]);
      checks.push(['processes', () => checkProcesses(client, config)]);
    }
    return runChecks(checks.map(([about, run]) => ({ about, remedy, run })));
  });
}

async function checkServer(client: Client): Promise<Finding[]> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
       pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  const { version, isReplica, size } = rows[0];
  if (!isReplica) return [fine('database', `PostgreSQL ${version}, ${size}.`)];
  const remedy = 'Let DATABASE_URL lead to the primary, or name all hosts in it.';
  return [problem('database', `PostgreSQL ${version} is a replica and takes no writes.`, remedy)];
}

/** Compares with the middle of the time that the question took. */
async function checkClock(client: Client): Promise<Finding[]> {
  const before = Date.now();
  const { rows } = await client.query(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const differenceMs = Math.round(rows[0].now - (before + Date.now()) / 2);
  const message = `The clock differs from that of the database by ${differenceMs} ms.`;
  const remedy = 'Synchronize the clocks of both machines (chrony, systemd-timesyncd).';
  if (Math.abs(differenceMs) > CLOCK_PROBLEM_MS) return [problem('clock', message, remedy)];
  if (Math.abs(differenceMs) > CLOCK_WARNING_MS) return [warning('clock', message, remedy)];
  return [fine('clock', message)];
}

/** A pooler gives its clients a process number of its own. */
async function checkPooler({ databaseUrl, directDatabaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined) return [];
  const isPooled = await withClient(
    { connectionString: hostUrls(databaseUrl)[0] },
    async (client) => {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      // The types of the driver leave out this number, which every server sends.
      return rows[0].pid !== (client as Client & { processID: number }).processID;
    },
  );
  if (!isPooled) return [fine('pooler', 'DATABASE_URL leads to PostgreSQL itself.')];
  if (directDatabaseUrl) return [fine('pooler', 'DIRECT_DATABASE_URL leads around a pooler.')];
  const remedy = 'Set DIRECT_DATABASE_URL to PostgreSQL itself.';
  return [problem('pooler', 'DATABASE_URL leads to a connection pooler.', remedy)];
}

async function checkSchema(client: Client, databaseUrl: string): Promise<Finding[]> {
  const { missing, unknown } = await compareMigrations(databaseUrl);
  if (missing.length > 0) {
    await requireRights(client);
    const message = `${missing.length} migrations are missing.`;
    return [warning('schema', message, 'Run migrate, or start the service.')];
  }
  if (unknown.length === 0) return [fine('schema', 'The schema is that of this version.')];
  const message = `The schema is newer than this version (${unknown.at(-1)}).`;
  const remedy = 'Upgrade this process to the version that made the schema.';
  return [warning('schema', message, remedy)];
}

/** Whether SECRET_KEY opens what is stored. */
async function checkKey(config: Config, databaseUrl: string): Promise<Finding[]> {
  const key = readSecretKey(config);
  if (key === undefined) {
    const remedy = 'Set SECRET_KEY to that of the service, or let DATA_DIR lead to its folder.';
    return [warning('secret key', 'There is no SECRET_KEY to check.', remedy)];
  }
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const secrets = new Secrets(bytes(key), config.previousSecretKeys.map(bytes));
  const log = createLogger('silent');
  const db = new Database({ url: databaseUrl, poolSize: 2, log, isPooled: true });
  try {
    const opens = await isSealingKey(db, secrets, SEALED_AUTH_TOKEN);
    if (opens === undefined) return [fine('secret key', 'Nothing is encrypted yet.')];
    if (opens) return [fine('secret key', 'SECRET_KEY opens what is stored.')];
  } finally {
    await db.close();
  }
  const remedy =
    'Set SECRET_KEY to the key that encrypted it, or list that in PREVIOUS_SECRET_KEYS. If it is lost: secrets:rotate --accept-lost.';
  return [problem('secret key', 'SECRET_KEY does not open what is stored.', remedy)];
}
