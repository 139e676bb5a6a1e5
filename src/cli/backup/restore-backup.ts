import { pipeline } from 'node:stream/promises';
import { type Client, DatabaseError } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withClient } from '../../platform/database/hosts.ts';
import { migrate, readMigrations } from '../../platform/database/migrate.ts';
import { createJobTables } from '../../platform/jobs/job-tables.ts';
import { StartError } from '../../platform/start-error.ts';
import { type BackupHeader, BackupReader, type BackupTable } from './backup-file.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import {
  beginCopying,
  columnList,
  copyRows,
  jobTablesVersion,
  listTables,
  quoted,
  sequenceValues,
} from './tables.ts';
import { type OnTable, requireSame } from './write-backup.ts';

interface RestoreOptions {
  onTable?: OnTable;
  /** Called for each table that is not restored, because it does not belong to the service. */
  onLeftOut?: OnTable;
  /** Whether pending webhooks and emails are dropped, and both are turned off for all keys. */
  quiet?: boolean;
}

/**
 * Restores a backup into an empty database, in one transaction: completely or not at all. Before it
 * is committed, all rows are read again and compared with the fingerprints in the backup.
 *
 * @returns the fingerprint of each table
 * @throws StartError when the database is not empty, or the backup is damaged or has another schema
 */
export async function restoreBackup(
  databaseUrl: string,
  path: string,
  { onTable = () => {}, onLeftOut = () => {}, quiet = false }: RestoreOptions = {},
): Promise<Record<string, Fingerprint>> {
  const reader = new BackupReader(path);
  const header = await reader.header();
  await requireSameSchema(header);
  const restoring = withClient(databaseUrl, async (client) => {
    await requireEmpty(client);
    await migrate(databaseUrl);
    if (header.jobTables !== null) await createJobTables(client);
    await requireSameJobTables(client, header);
    await beginCopying(client, 'READ WRITE');
    const { tables, leftOut, end } = await fillTables(client, reader, { onTable, onLeftOut });
    const restored: Record<string, Fingerprint> = {};
    for (const table of tables) {
      restored[table.table] = await fingerprintOf(copyRows(client, table));
    }
    requireSame(end.tables, { ...leftOut, ...restored });
    await setSequences(client, end.sequences);
    if (quiet) await client.query(TURN_OFF_SENDING);
    if (quiet && header.jobTables !== null) await client.query(DROP_MAILS);
    // ANALYZE runs within the transaction, which has no time limit and fails as a whole.
    await client.query('ANALYZE');
    await client.query('COMMIT');
    return restored;
  });
  return restoring.catch((error: unknown) => {
    throw error instanceof DatabaseError ? notRestored(error) : error;
  });
}

/** Drops pending webhooks and emails, and turns both off for all keys. */
const TURN_OFF_SENDING = `
  UPDATE service_settings
  SET use_webhook_service = false, use_advanced_webhooks = false, use_email_service = false;
  UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, settled_at = now()
  WHERE status = 'pending';
  UPDATE webhook_queues SET next_at = NULL, owner = NULL;
  UPDATE mails SET state = 'dropped' WHERE state = 'waiting'`;

const DROP_MAILS = "DELETE FROM pgboss.job WHERE name LIKE 'mails.%' AND state < 'completed'";

/** Returns the failure with the table, line and column that `where` names. The row, which follows a colon, is left out. */
function notRestored({ message, where }: DatabaseError): StartError {
  const position = where === undefined ? '' : ` (${where.split(':')[0]})`;
  return new StartError(`Nothing was restored: ${message}${position}.`);
}

async function requireSameSchema({ migrations, createdAt }: BackupHeader): Promise<void> {
  const knownMigrations = (await readMigrations()).map(({ name }) => name);
  const [first = ''] = knownMigrations;
  // The first migration of this version replaces all migrations before it.
  const backedUp = migrations.filter((name) => name >= first);
  if (knownMigrations.join() === backedUp.join()) return;
  const isNewer = backedUp.some((name) => !knownMigrations.includes(name));
  throw new StartError(
    `The backup of ${createdAt} has ${isNewer ? 'a newer' : 'an older'} schema than this version (its last migration is ${migrations.at(-1)}). ` +
      'Restore it with the version that has this schema; a newer version migrates the database when it starts.',
  );
}

async function requireSameJobTables(client: Client, { jobTables }: BackupHeader): Promise<void> {
  if (jobTables === null || jobTables === (await jobTablesVersion(client))) return;
  throw new StartError(
    `The backup has version ${jobTables} of the job queue's tables, which this version does not use. Restore it with the version that made it.`,
  );
}

async function requireEmpty(client: Client): Promise<void> {
  const { rows: tables } = await client.query("SELECT to_regclass('workspaces') AS name");
  if (tables[0]?.name === null) {
    // The database may have tables of other programs only. Restoring would remove their rows.
    const [foreign] = await listTables(client);
    if (foreign) throw notEmpty(`the table ${foreign.table}`);
    return;
  }
  const { rows } = await client.query('SELECT 1 FROM workspaces LIMIT 1');
  if (rows.length > 0) throw notEmpty('a workspace');
}

type Listeners = Required<Pick<RestoreOptions, 'onTable' | 'onLeftOut'>>;

const notEmpty = (content: string) =>
  new StartError(
    `The database is not empty: it has ${content}. Restore into an empty database, and then let the service use that.`,
  );

async function fillTables(client: Client, reader: BackupReader, { onTable, onLeftOut }: Listeners) {
  const knownTables = (await listTables(client)).map(({ table }) => table);
  const tables: BackupTable[] = [];
  const leftOut: Record<string, Fingerprint> = {};
  const end = await reader.tables(async (table, rows) => {
    if (!knownTables.includes(table.table)) {
      requireOwnSchema('table', table.table);
      onLeftOut(table.table);
      leftOut[table.table] = await fingerprintOf(rows);
      return;
    }
    onTable(table.table);
    // Migrations and the job queue have written a few rows, which the backup contains, too. One statement has to
    // empty all tables, since they reference each other.
    if (tables.length === 0) await client.query(`TRUNCATE ${knownTables.map(quoted).join(', ')}`);
    await fillTable(client, table, rows);
    tables.push(table);
  });
  return { tables, leftOut, end };
}

/**
 * Refuses names outside the schemas of the service: a restore may run as a superuser, who could write
 * to the catalogs of PostgreSQL.
 */
function requireOwnSchema(kind: string, name: string): void {
  if (!name.includes('.')) return;
  throw new StartError(`The backup has a ${kind} that this service does not have: ${name}.`);
}

async function fillTable(client: Client, table: BackupTable, rows: AsyncIterable<Buffer>) {
  const statement = `COPY ${quoted(table.table)} (${columnList(table)}) FROM STDIN`;
  await pipeline(rows, client.query(copyFrom(statement)));
}

async function setSequences(client: Client, sequences: Record<string, string>): Promise<void> {
  const knownSequences = await sequenceValues(client);
  for (const [name, value] of Object.entries(sequences)) {
    if (!knownSequences.has(name)) requireOwnSchema('sequence', name);
    else await client.query('SELECT setval($1::regclass, $2::bigint)', [quoted(name), value]);
  }
}
