import { pipeline } from 'node:stream/promises';
import { type Client, DatabaseError } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withClient } from '../../platform/database/hosts.ts';
import { migrate, readMigrations } from '../../platform/database/migrate.ts';
import { createJobTables } from '../../platform/jobs/job-tables.ts';
import { StartError } from '../../platform/start-error.ts';
import { type BackupHeader, BackupReader, type BackupTable } from './backup-file.ts';
import { factsOf, type RowFacts } from './row-facts.ts';
import {
  beginCopying,
  columnList,
  copyRows,
  jobTablesVersion,
  lastValues,
  listTables,
  quoted,
} from './tables.ts';
import { type OnTable, requireSame } from './write-backup.ts';

interface RestoreOptions {
  onTable?: OnTable;
  /** Called for each table that is not restored, because it does not belong to the service. */
  onLeftOut?: OnTable;
  /** Whether pending webhooks and mails are dropped, and both are turned off for all keys. */
  quiet?: boolean;
}

/**
 * Restores a backup into an empty database, in one transaction: completely or not at all. Before it
 * is committed, all rows are read again and compared with the facts in the backup.
 *
 * @returns the facts of each table
 * @throws StartError when the database is not empty, or the backup is of another schema or damaged
 */
export async function restoreBackup(
  databaseUrl: string,
  path: string,
  { onTable = () => {}, onLeftOut = () => {}, quiet = false }: RestoreOptions = {},
): Promise<Record<string, RowFacts>> {
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
    const restored: Record<string, RowFacts> = {};
    for (const table of tables) {
      restored[table.table] = await factsOf(copyRows(client, table));
    }
    requireSame(end.tables, { ...leftOut, ...restored });
    await setSequences(client, end.sequences);
    if (quiet) await client.query(TURN_OFF_SENDING);
    if (quiet && header.jobTables !== null) await client.query(DROP_MAILS);
    // Within the transaction, which has no time limit, and fails as a whole.
    await client.query('ANALYZE');
    await client.query('COMMIT');
    return restored;
  });
  return restoring.catch((error: unknown) => {
    throw error instanceof DatabaseError ? notRestored(error) : error;
  });
}

/** Drops pending webhooks and mails, and turns both off for all keys. */
const TURN_OFF_SENDING = `
  UPDATE service_settings
  SET use_webhook_service = false, use_advanced_webhooks = false, use_email_service = false;
  UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, settled_at = now()
  WHERE status = 'pending';
  UPDATE webhook_queues SET next_at = NULL, owner = NULL;
  UPDATE mails SET state = 'dropped' WHERE state = 'waiting'`;

const DROP_MAILS = "DELETE FROM pgboss.job WHERE name LIKE 'mails.%' AND state < 'completed'";

/** `where` names the table, the line and the column. The row follows after a colon and is left out. */
function notRestored({ message, where }: DatabaseError): StartError {
  const position = where === undefined ? '' : ` (${where.split(':')[0]})`;
  return new StartError(`Nothing was restored: ${message}${position}.`);
}

async function requireSameSchema({ migrations, createdAt }: BackupHeader): Promise<void> {
  const ownMigrations = (await readMigrations()).map(({ name }) => name);
  const [first = ''] = ownMigrations;
  // The first migration contains all before it.
  const ofBackup = migrations.filter((name) => name >= first);
  if (ownMigrations.join() === ofBackup.join()) return;
  const isNewer = ofBackup.some((name) => !ownMigrations.includes(name));
  throw new StartError(
    `The backup of ${createdAt} has ${isNewer ? 'a newer' : 'an older'} schema than this version (its last migration is ${migrations.at(-1)}). ` +
      'Restore it with the version of that schema; a newer version migrates it at its start.',
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
    // Restoring removes the rows of all tables.
    const [foreign] = await listTables(client);
    if (foreign) throw notEmpty(`the table ${foreign.table}`);
    return;
  }
  const { rows } = await client.query('SELECT 1 FROM workspaces LIMIT 1');
  if (rows.length > 0) throw notEmpty('a workspace');
}

type Progress = Required<Pick<RestoreOptions, 'onTable' | 'onLeftOut'>>;

const notEmpty = (content: string) =>
  new StartError(
    `The database is not empty: it has ${content}. Restore into an empty database, and then let the service use that.`,
  );

async function fillTables(client: Client, reader: BackupReader, { onTable, onLeftOut }: Progress) {
  const ownTables = (await listTables(client)).map(({ table }) => table);
  const tables: BackupTable[] = [];
  const leftOut: Record<string, RowFacts> = {};
  const end = await reader.tables(async (table, rows) => {
    if (!ownTables.includes(table.table)) {
      requireOwnSchema('table', table.table);
      onLeftOut(table.table);
      leftOut[table.table] = await factsOf(rows);
      return;
    }
    onTable(table.table);
    // Migrations and the job queue have written a few rows, which the backup contains, too. One statement
    // removes them, since tables reference each other.
    if (tables.length === 0) await client.query(`TRUNCATE ${ownTables.map(quoted).join(', ')}`);
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
  const ownSequences = await lastValues(client);
  for (const [name, value] of Object.entries(sequences)) {
    if (!ownSequences.has(name)) requireOwnSchema('sequence', name);
    else await client.query('SELECT setval($1::regclass, $2::bigint)', [quoted(name), value]);
  }
}
