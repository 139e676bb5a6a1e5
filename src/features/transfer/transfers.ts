import { z } from 'zod';
import type { KeyContext, Services } from '../../api/context.ts';
import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import { columnsOf } from '../../platform/database/columns.ts';
import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { LostRace } from '../../platform/database/lost-races.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import type { FileStore, StoredFile } from '../../platform/files/file-store.ts';
import { newId } from '../../platform/ids.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { requireFiles } from '../attachments/attachments.ts';
import type { Report, TransferStatus } from './schema.ts';

/** How long a transfer is kept, with its archive. */
const RETENTION_MS = 24 * 60 * 60 * 1000;
/** The most transfers of one key that are kept at the same time. */
const MAX_TRANSFERS = 20;

const JobRef = z.object({ tenantId: z.string(), jobId: z.string() });
export type JobRef = z.infer<typeof JobRef>;

const transferJob = (name: string): Job<JobRef> => ({
  name,
  payload: JobRef,
  keyOf: ({ tenantId, jobId }) => JSON.stringify([tenantId, jobId]),
});
export const exportJob = transferJob('archives.export');
export const importJob = transferJob('archives.import');

export type Progress = TransferStatus['progress'];

export interface TransferRow extends Pick<TransferStatus, 'jobId' | 'kind' | 'state'> {
  organizationId: string | null;
  size: string | null;
  checksum: string | null;
  progress: Partial<Progress>;
  report: Report | null;
  problem: string | null;
}

/** A transfer while it runs. */
export interface Transfer {
  services: Services;
  ref: JobRef;
  row: TransferRow;
  tables: readonly ArchivedTable[];
  /** The folder for temporary files of the transfer. It does not exist yet. */
  folder: string;
  signal: AbortSignal;
  /** Counts progress. Throws once the process is stopping. */
  advance(done: Partial<Progress>): Promise<void>;
}

export const transferColumns = columnsOf([
  'jobId',
  'kind',
  'organizationId',
  'state',
  'size',
  'checksum',
  'progress',
  'report',
  'problem',
]);

interface NewTransfer extends Pick<TransferRow, 'kind' | 'state'> {
  /** Identifies the content of the transfer: equal requests share one transfer. */
  request: string;
  organizationId: string | undefined;
  archive?: { size: number; checksum: string };
}

/** The first number of the advisory locks on transfers, which keeps them apart from other locks. */
const TRANSFER_LOCK = 7_241_997;

/**
 * Records a transfer, or finds an equal one that has not ended.
 *
 * @throws RESOURCE_EXHAUSTED if the key has too many transfers
 */
export async function addTransfer(
  ctx: KeyContext,
  tx: Transaction,
  { request, kind, state, organizationId, archive }: NewTransfer,
): Promise<TransferRow & { isNew: boolean }> {
  const { tenantId, clock } = ctx;
  const now = clock.now();
  // Calls of one key run one after the other, so that together they do not exceed the maximum.
  await tx.query(sql`SELECT pg_advisory_xact_lock(${TRANSFER_LOCK}, hashtext(${tenantId}))`);
  const [added] = await tx.query<TransferRow>(sql`
    INSERT INTO transfers (tenant_id, job_id, kind, request, organization_id, state, size, checksum,
      created_at, remove_at)
    VALUES (${tenantId}, ${newId()}, ${kind}, ${request}, ${organizationId ?? null}, ${state},
      ${archive?.size ?? null}, ${archive?.checksum ?? null}, ${new Date(now)},
      ${new Date(now + RETENTION_MS)})
    ON CONFLICT (tenant_id, request) DO NOTHING RETURNING ${transferColumns}`);
  const rows = await tx.query<TransferRow & { request: string | null }>(sql`
    SELECT ${transferColumns}, request FROM transfers WHERE tenant_id = ${tenantId}`);
  if (added) {
    if (rows.length > MAX_TRANSFERS) throw tooManyTransfers();
    return { ...added, isNew: true };
  }
  const found = rows.find((row) => row.request === request);
  if (!found) throw new LostRace('An equal transfer ended between the two statements.');
  return { ...found, isNew: false };
}

const tooManyTransfers = () =>
  new AppError(
    'RESOURCE_EXHAUSTED',
    `The API key has started ${MAX_TRANSFERS} exports and imports within a day, which is the maximum. Try again once one of them is a day old.`,
  );

/** SQL: whether the row is this transfer. */
export const isTransfer = ({ tenantId, jobId }: JobRef): Sql =>
  sql`tenant_id = ${tenantId} AND job_id = ${jobId}`;

/**
 * Requires that a transfer is running, and keeps it so until the transaction ends.
 *
 * @throws if another worker has taken over and ended the transfer while this one was suspended
 */
export async function requireRunning(tx: Transaction, ref: JobRef): Promise<void> {
  const rows = await tx.query(sql`
    SELECT 1 FROM transfers WHERE ${isTransfer(ref)} AND state = 'running' FOR SHARE`);
  if (rows.length === 0) throw new Error('Another worker has ended this transfer.');
}

/** How a transfer ended: with a `report` or, if it failed, with a `problem`. An export also has an `archive`. */
interface TransferEnd {
  report?: Report;
  archive?: { size: number; checksum: string };
  problem?: string;
}

/**
 * Stores how a transfer ended, with a statement at the end of the transaction. A failure does not replace an
 * earlier end: this worker may have failed just because another one has finished the transfer.
 */
export const endTransfer = (
  tx: Transaction,
  ref: JobRef,
  { report, archive, problem }: TransferEnd,
): void =>
  tx.beforeCommit(sql`
    UPDATE transfers SET request = NULL, state = ${problem === undefined ? 'done' : 'failed'},
      report = ${report ? JSON.stringify(report) : null}::jsonb, problem = ${problem ?? null},
      size = COALESCE(${archive?.size ?? null}::bigint, size),
      checksum = COALESCE(${archive?.checksum ?? null}::text, checksum)
    WHERE ${isTransfer(ref)} ${problem === undefined ? empty : sql`AND state = 'running'`}`);

/** Returns the key of an archive's file. No attachment has such a key, since ids contain no underscore. */
const archiveKey = ({ tenantId, jobId }: JobRef): string => `${tenantId}/archive_${jobId}`;

export const archiveFile = (
  tenantId: string,
  { jobId, organizationId, size, checksum }: TransferRow,
): StoredFile => ({
  key: archiveKey({ tenantId, jobId }),
  name: `${organizationId ?? 'everything'}.tar`,
  type: 'application/x-tar',
  size: Number(size),
  checksum,
});

/** @throws FAILED_PRECONDITION if the server has no file store */
export const requireStore = (services: Pick<Services, 'files'>): FileStore =>
  requireFiles(services, 'Archives');

/** The most transfers that are deleted at the same time. */
const BATCH_SIZE = 50;

/** Deletes transfers that are older than a day, with their archives. */
export async function deleteExpiredTransfers({
  db,
  clock,
  files,
}: Pick<Services, 'db' | 'clock' | 'files'>): Promise<void> {
  if (!files) return;
  const due = await db.query<JobRef>(sql`
    SELECT tenant_id AS "tenantId", job_id AS "jobId" FROM transfers /* all tenants, background */
    WHERE remove_at <= ${new Date(clock.now())} ORDER BY remove_at LIMIT ${BATCH_SIZE}`);
  const deletions = due.map(async (ref) => {
    await files.remove(archiveKey(ref));
    await db.query(sql`DELETE FROM transfers WHERE ${isTransfer(ref)}`);
  });
  // An archive that cannot be removed does not hold up the others.
  await pipeline(deletions);
}
