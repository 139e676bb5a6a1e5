import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import {
  type ArchivedTable,
  isInScope,
  type Scope,
  setScope,
} from '../../platform/archives/archived-table.ts';
import {
  BlockError,
  blocksOf,
  countLines,
  jsonArrayOf,
  linesOf,
  Meter,
} from '../../platform/archives/blocks.ts';
import { archivedColumns, insertRows } from '../../platform/archives/table-rows.ts';
import { readTar, type TarEntry, TarError } from '../../platform/archives/tar.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { classifyDatabaseError } from '../../platform/database/database-errors.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { cancelRemovals } from '../attachments/archive.ts';
import { ATTACHMENTS, ExpectedFiles, storeFile } from './attached-files.ts';
import {
  FILES_FOLDER,
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  Manifest,
  reportOf,
  rowsFile,
  type TableFacts,
} from './manifest.ts';
import { archiveFile, endTransfer, requireStore, type Transfer } from './transfers.ts';

/** The longest pause between two statements, for example while a large file is stored. */
const MAX_PAUSE_MS = 600_000;

/**
 * Imports an archive in one transaction: completely or not at all. Each row gets the tenant of the
 * job, so the import cannot touch rows of other tenants.
 */
export async function importArchive(running: Transfer): Promise<void> {
  const { services, ref, row, folder } = running;
  const store = requireStore(services);
  const content = await store.read(archiveFile(ref.tenantId, row).key);
  if (!content) throw new AppError('NOT_FOUND', 'The archive no longer exists.');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const tx = await services.db.begin();
  try {
    await importWithin(running, tx, readTar(content));
    await tx.commit();
  } catch (error) {
    await tx.rollBack();
    throw refusalOf(error) ?? error;
  } finally {
    content.destroy();
  }
}

async function importWithin(running: Transfer, tx: Transaction, entries: AsyncGenerator<TarEntry>) {
  const { services, ref, row, tables } = running;
  const manifest = await readManifest(entries);
  const { organizationId } = manifest;
  if (row.organizationId !== null && row.organizationId !== organizationId) {
    const content =
      organizationId === undefined ? 'a whole API key' : `the organization ${organizationId}`;
    throw refused(`it contains ${content}, not the organization ${row.organizationId}`);
  }
  const scope: Scope = { tenantId: ref.tenantId, organizationId };
  await tx.query(sql`
    SELECT set_config('idle_in_transaction_session_timeout', ${String(MAX_PAUSE_MS)}, true)`);
  await tx.query(setScope(scope));
  await requireNoOrganizations(tx, scope);
  const files = new ExpectedFiles();
  const filled: ArchivedTable[] = [];
  for (const { table, facts } of tablesOf(manifest, tables)) {
    await requireColumns(tx, table, facts);
    const entry = await nextEntry(entries, rowsFile(table.name));
    await fillTable(running, tx, { table, facts, entry, files, organizationId });
    filled.push(table);
  }
  for (const table of filled) await table.finish?.(services, tx, scope);
  for (let count = 0; count < manifest.files.count; count++) {
    await importFile(running, await nextEntry(entries), files);
  }
  if (!(await entries.next()).done) throw refused('it contains more than its manifest says');
  if (!files.isEmpty) throw refused('the files of some attachments are missing');
  // This comes first: a worker that was suspended during this transfer can then schedule no more file removals.
  endTransfer(tx, ref, { report: reportOf(manifest, { missingFiles: 0 }) });
  cancelRemovals(tx, ref.tenantId);
}

async function readManifest(entries: AsyncGenerator<TarEntry>): Promise<Manifest> {
  const { size, content } = await nextEntry(entries, MANIFEST_FILE);
  if (size > MAX_MANIFEST_BYTES) throw refused('its manifest is too large');
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const { data, error } = Manifest.safeParse(parseJson(text));
  if (data) return data;
  const [issue] = error.issues;
  throw refused(
    `its manifest does not fit this server (${issue?.path.join('.')}: ${issue?.message})`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the next file. If a name is given, the file must have it. */
async function nextEntry(entries: AsyncGenerator<TarEntry>, name?: string): Promise<TarEntry> {
  const { value, done } = await entries.next();
  if (done) throw refused('it ends too early');
  if (name !== undefined && value.name !== name) {
    throw refused(`it contains ${JSON.stringify(value.name)} instead of ${name}`);
  }
  return value;
}

/** @throws ALREADY_EXISTS if the organization exists or, for a whole API key, if any organization exists */
async function requireNoOrganizations(tx: Transaction, scope: Scope) {
  const [found] = await tx.query<{ id: string }>(sql`
    SELECT organization_id AS id FROM organizations
    WHERE ${isInScope(scope)} LIMIT 1`);
  if (!found) return;
  throw new AppError(
    'ALREADY_EXISTS',
    scope.organizationId === undefined
      ? 'The archive contains a whole API key, but this key already has organizations. Import it into a new key.'
      : `The organization ${found.id} already exists. Delete it first, or import into another API key.`,
  );
}

/** Returns the tables of an archive. Refuses them unless they are in the order of this server's tables. */
function tablesOf(manifest: Manifest, tables: readonly ArchivedTable[]) {
  const known = new Map(tables.map((table) => [table.name, table]));
  const found = manifest.tables.map((facts) => {
    const table = known.get(facts.name);
    if (!table) throw refused(`this server has no table ${facts.name}`);
    if (manifest.organizationId !== undefined && table.onlyInKeyArchives) {
      throw refused(`the table ${table.name} belongs to an API key, not to an organization`);
    }
    return { table, facts };
  });
  const ranks = found.map(({ table }) => tables.indexOf(table));
  // A table that comes twice is out of order, too.
  if (ranks.some((rank, index) => index > 0 && rank <= (ranks[index - 1] ?? 0))) {
    throw refused('its tables are not in the expected order');
  }
  return found;
}

/** Refuses columns that this server does not know: the archive may come from a newer server. */
async function requireColumns(tx: Transaction, table: ArchivedTable, { columns }: TableFacts) {
  const known = new Set(await archivedColumns(tx, table));
  const unknown = columns.find((column) => !known.has(column));
  if (unknown) throw refused(`this server does not know ${table.name}.${unknown}`);
  if (new Set(columns).size < columns.length)
    throw refused(`the table ${table.name} has a column twice`);
}

interface TableContent {
  table: ArchivedTable;
  facts: TableFacts;
  entry: TarEntry;
  files: ExpectedFiles;
  organizationId: string | undefined;
}

async function fillTable(
  { advance }: Transfer,
  tx: Transaction,
  { table, facts, entry, files, organizationId }: TableContent,
): Promise<void> {
  if (entry.size !== facts.size) throw refused(`${entry.name} does not have the expected size`);
  const meter = new Meter();
  let rows = 0;
  for await (const block of blocksOf(meter.through(entry.content))) {
    // A row may have hundreds of megabytes, so each step has its own turn of the event loop.
    await setImmediate();
    const lines = countLines(block);
    const list = jsonArrayOf(block);
    await setImmediate();
    const stored = await insertRows(tx, table, facts.columns, { organizationId, list }).catch(
      (error: unknown) => {
        // PostgreSQL names no table for a row that it cannot parse.
        if (error instanceof DatabaseError) error.table ??= table.name;
        throw error;
      },
    );
    // `insertRows` skips rows of another organization, and in tables with `existing`, rows that already exist.
    if (stored !== lines && table.existing === undefined) {
      throw refused(`${table.name} has rows of another organization`);
    }
    if (table.name === ATTACHMENTS) for (const line of linesOf(block)) files.add(line);
    rows += lines;
    await advance({ rows: lines });
  }
  if (rows !== facts.rows) throw refused(`${entry.name} has ${rows} rows instead of ${facts.rows}`);
  if (meter.digest() !== facts.sha256) throw refused(`${entry.name} was changed`);
}

async function importFile(
  { services, ref, folder, advance }: Transfer,
  { name, size, content }: TarEntry,
  files: ExpectedFiles,
): Promise<void> {
  const sha256 = name.slice(FILES_FOLDER.length);
  const rows = name.startsWith(FILES_FOLDER) ? files.take(sha256) : [];
  if (rows.length === 0) throw refused(`${JSON.stringify(name)} does not belong to any attachment`);
  if (rows.some((row) => row.size !== size))
    throw refused(`${name} does not have the expected size`);
  const source = path.join(folder, 'file');
  const meter = new Meter();
  await pipeline(meter.through(content), createWriteStream(source, { mode: 0o600 }));
  if (meter.digest() !== sha256) throw refused(`${name} was changed`);
  await advance({ files: 1 });
  await storeFile({ services, ref }, { source, sha256, rows });
}

const refused = (reason: string): AppError =>
  invalidArgument(`The archive cannot be imported: ${reason}.`);

/** SQLSTATE: a row with the same key already exists. */
const UNIQUE_VIOLATION = '23505';

/** Returns the error for a damaged archive; undefined for an outage, after which the import is repeated. */
function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof TarError || error instanceof BlockError) return refused(error.message);
  if (!(error instanceof DatabaseError) || classifyDatabaseError(error)) return undefined;
  const { table = 'a table', code } = error;
  if (code !== UNIQUE_VIOLATION) return refused(`rows of ${table} do not fit the table`);
  return new AppError('ALREADY_EXISTS', `Rows of ${table} already exist in this API key.`);
}
