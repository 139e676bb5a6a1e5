import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { isInScope, type Scope, setScope } from '../../platform/archives/archived-table.ts';
import { Meter } from '../../platform/archives/blocks.ts';
import { archivedColumns, readRows } from '../../platform/archives/table-rows.ts';
import { type TarEntry, tarSize, writeTar } from '../../platform/archives/tar.ts';
import { sql } from '../../platform/database/database.ts';
import { type Snapshot, withSnapshot } from '../../platform/database/snapshot.ts';
import { AppError } from '../../platform/errors.ts';
import { isBeingDeleted } from '../directory/archive.ts';
import { sealCursor } from '../events/get-events.ts';
import { type CollectedFiles, collectFiles, writeRows } from './attached-files.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  FILES_FOLDER,
  MANIFEST_FILE,
  type Manifest,
  reportOf,
  rowsFile,
} from './manifest.ts';
import { archiveFile, endTransfer, requireStore, type Transfer } from './transfers.ts';

/** The most events without a position in the log that a manifest lists, because manifests must stay small. */
const MAX_WAITING_EVENTS = 10_000;

/** Sets the formats in which values are written, so that they are the same on every server. */
const SET_VALUE_FORMATS = sql`
  SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
         set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`;

/**
 * Writes an archive of a scope as it is at one moment. The rows are first written to the disk, since a tar archive
 * needs the size of each file before its content. This also keeps the transaction short.
 */
export async function exportArchive(running: Transfer): Promise<void> {
  const { services, ref, row, folder } = running;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const manifest = await readSnapshot(running);
  const files = await collectFiles(running, manifest.tables);
  manifest.files = { count: files.entries.length, size: files.size };
  const meter = new Meter();
  const manifestBytes = Buffer.from(JSON.stringify(manifest));
  const sizes = [...manifest.tables, ...files.entries].map(({ size }) => size);
  const store = requireStore(services);
  const file = {
    ...archiveFile(ref.tenantId, row),
    size: tarSize([manifestBytes.length, ...sizes]),
    checksum: null,
  };
  const entries = entriesOf(running, manifest, manifestBytes, files);
  await store.put(file, meter.through(writeTar(entries)));
  const archive = { size: meter.size, checksum: meter.digest() };
  const report = reportOf(manifest, { missingFiles: files.missing });
  await services.db.transaction(async (tx) => endTransfer(tx, ref, { report, archive }));
}

async function* entriesOf(
  { folder }: Transfer,
  { tables }: Manifest,
  manifestBytes: Buffer,
  { entries }: CollectedFiles,
): AsyncGenerator<TarEntry> {
  yield {
    name: MANIFEST_FILE,
    size: manifestBytes.length,
    content: Readable.from([manifestBytes]),
  };
  for (const { name, size } of tables) {
    const content = createReadStream(path.join(folder, name));
    yield { name: rowsFile(name), size, content };
  }
  for (const { sha256, size } of entries) {
    const content = createReadStream(path.join(folder, sha256));
    yield { name: FILES_FOLDER + sha256, size, content };
  }
}

/** Writes the rows to files, as they are at one moment. Returns a manifest that lacks the attached files. */
function readSnapshot(running: Transfer): Promise<Manifest> {
  const { services, ref, row, tables, signal } = running;
  const { tenantId } = ref;
  const organizationId = row.organizationId ?? undefined;
  const scope: Scope = { tenantId, organizationId };
  return withSnapshot({ db: services.db, signal }, async (snapshot) => {
    await snapshot.query(SET_VALUE_FORMATS);
    await snapshot.query(setScope(scope));
    await requireComplete(snapshot, scope);
    const manifest: Manifest = {
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      apiKey: tenantId,
      createdAt: new Date(services.clock.now()).toISOString(),
      ...(organizationId !== undefined && { organizationId }),
      events: await positionInLog(services, snapshot, tenantId),
      tables: [],
      files: { count: 0, size: 0 },
    };
    for (const table of tables) {
      if (organizationId !== undefined && table.onlyInKeyArchives) continue;
      const columns = await archivedColumns(snapshot, table);
      const rows = readRows(snapshot, table, columns, scope);
      manifest.tables.push({
        name: table.name,
        columns,
        ...(await writeRows(running, table.name, rows)),
      });
    }
    return manifest;
  });
}

/** @throws FAILED_PRECONDITION while a deletion runs; NOT_FOUND if the organization was deleted */
async function requireComplete(snapshot: Snapshot, scope: Scope) {
  const { organizationId } = scope;
  const [content] = await snapshot.query<{ isDeleting: boolean; exists: boolean }>(sql`
    SELECT ${isBeingDeleted(scope)} AS "isDeleting", EXISTS (
      SELECT FROM organizations WHERE ${isInScope(scope)}) AS "exists"`);
  if (organizationId !== undefined && !content?.exists) {
    throw new AppError('NOT_FOUND', 'The organization was deleted.');
  }
  if (!content?.isDeleting) return;
  throw new AppError(
    'FAILED_PRECONDITION',
    'An organization or a folder is being deleted. Export again when that is done.',
  );
}

/**
 * Returns the position of the snapshot in the event log, and the ids of its events that have no position yet.
 *
 * @throws UNAVAILABLE if too many events are waiting for their positions in the log, so that the job is retried
 */
async function positionInLog(services: Transfer['services'], snapshot: Snapshot, tenantId: string) {
  const [found] = await snapshot.query<{ last: string; alsoHeld: string[] }>(sql`
    SELECT
      (SELECT COALESCE(max(sequence), 0)::text FROM events WHERE tenant_id = ${tenantId}) AS last,
      ARRAY(
        SELECT id FROM event_outbox WHERE tenant_id = ${tenantId}
        ORDER BY position LIMIT ${MAX_WAITING_EVENTS + 1}) AS "alsoHeld"`);
  const { last = '0', alsoHeld = [] } = found ?? {};
  if (alsoHeld.length > MAX_WAITING_EVENTS) {
    throw new AppError(
      'UNAVAILABLE',
      'Too many events are waiting for their positions in the log.',
    );
  }
  return { cursor: sealCursor(services, tenantId, last), alsoHeld };
}
