import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { withClient } from '../../platform/database/hosts.ts';
import { compareMigrations, readMigrations } from '../../platform/database/migrate.ts';
import { StartError } from '../../platform/start-error.ts';
import { writeAtomically } from '../write-atomically.ts';
import { type BackupHeader, BackupReader, END_OF_ROWS, FORMAT } from './backup-file.ts';
import { type Fingerprint, Fingerprinter, fingerprintOf } from './fingerprint.ts';
import { beginCopying, copyRows, jobTablesVersion, listTables, sequenceValues } from './tables.ts';

/** Called for each table, before its rows are copied. */
export type OnTable = (table: string) => void;

/**
 * Writes everything in the database to a file, as it was at one moment. The service may be running.
 * The file is read again before it gets its name, so that a backup that exists is complete.
 *
 * @returns the fingerprint of each table
 */
export async function writeBackup(
  databaseUrl: string,
  path: string,
  onTable: OnTable = () => {},
): Promise<Record<string, Fingerprint>> {
  return withClient(databaseUrl, async (client) => {
    await requireCurrentSchema(client);
    return writeAtomically(path, async (unfinished) => {
      const written = await writeFile(client, unfinished, onTable);
      await verifyFile(unfinished);
      return written;
    });
  });
}

/** Refuses a database with an older schema: only the release with that schema can back it up. */
async function requireCurrentSchema(client: Client): Promise<void> {
  const { missing } = await compareMigrations(client, await readMigrations());
  if (missing.length === 0) return;
  throw new StartError(
    'The database has an older schema than this version. Back it up with the version that serves it, or run migrate first.',
  );
}

async function writeFile(client: Client, path: string, onTable: OnTable) {
  const fingerprints: Record<string, Fingerprint> = {};
  const file = createWriteStream(path, { mode: 0o600, flush: true });
  await pipeline(contentOf(client, fingerprints, onTable), createGzip({ level: 4 }), file);
  return fingerprints;
}

/** Yields the content of a backup, and adds the fingerprint of each table to `fingerprints`. */
async function* contentOf(
  client: Client,
  fingerprints: Record<string, Fingerprint>,
  onTable: OnTable,
) {
  const lineOf = (value: object) => `${JSON.stringify(value)}\n`;
  await beginCopying(client, 'READ ONLY');
  yield lineOf(await headerOf(client));
  for (const table of await listTables(client)) {
    onTable(table.table);
    yield lineOf(table);
    const fingerprinter = new Fingerprinter();
    for await (const lines of copyRows(client, table)) {
      fingerprinter.add(lines);
      yield lines;
    }
    fingerprints[table.table] = fingerprinter.fingerprint;
    yield `${END_OF_ROWS}\n`;
  }
  await client.query('COMMIT');
  // Sequences ignore transactions, so they are read last: a value that is too high only leaves a gap in the numbers.
  const used = [...(await sequenceValues(client))].filter(([, value]) => value !== null);
  yield lineOf({ tables: fingerprints, sequences: Object.fromEntries(used) });
}

async function headerOf(client: Client): Promise<BackupHeader> {
  // The header lists the migrations of the database, which may be newer than this release. Only a release that
  // has all of them can restore the backup.
  const { rows } = await client.query(
    `SELECT transaction_timestamp() AS now, ARRAY(
       SELECT migration_name::text FROM _prisma_migrations
       WHERE finished_at IS NOT NULL ORDER BY migration_name COLLATE "C") AS migrations`,
  );
  const { now, migrations } = rows[0];
  return {
    format: FORMAT,
    createdAt: now.toISOString(),
    migrations,
    jobTables: await jobTablesVersion(client),
  };
}

/** @throws StartError when the file does not contain what was written to it */
async function verifyFile(path: string): Promise<void> {
  const reader = new BackupReader(path);
  await reader.header();
  const read: Record<string, Fingerprint> = {};
  const end = await reader.tables(async ({ table }, rows) => {
    read[table] = await fingerprintOf(rows);
  });
  requireSame(end.tables, read);
}

/** @throws StartError that names the first table whose rows differ or are unknown */
export function requireSame(
  expected: Record<string, Fingerprint>,
  found: Record<string, Fingerprint>,
): void {
  const unknown = Object.keys(found).find((table) => !Object.hasOwn(expected, table));
  if (unknown) throw new StartError(`The end of the backup does not mention the table ${unknown}.`);
  for (const [table, fingerprint] of Object.entries(expected)) {
    const none = { rows: 0, digest: '' };
    const { rows, digest } = (Object.hasOwn(found, table) && found[table]) || none;
    if (rows === fingerprint.rows && digest === fingerprint.digest) continue;
    throw new StartError(
      `The table ${table} should have ${fingerprint.rows} rows with the digest ${fingerprint.digest}, but has ${rows} with ${digest || 'none'}.`,
    );
  }
}
