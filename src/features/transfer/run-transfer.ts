import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Services } from '../../api/context.ts';
import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError, STATUSES } from '../../platform/errors.ts';
import { handleJob, type Job } from '../../platform/jobs/job.ts';
import { codeOf } from '../../platform/start-error.ts';
import { exportArchive } from './export-archive.ts';
import { importArchive } from './import-archive.ts';
import {
  archiveFile,
  endTransfer,
  exportJob,
  importJob,
  isTransfer,
  type JobRef,
  type Progress,
  requireStore,
  type Transfer,
  type TransferRow,
  transferColumns,
} from './transfers.ts';

/** The shortest time between two reports of the progress. */
const REPORT_MS = 1_000;
/** The attempts after which an unexpected failure is reported to the caller. They take about ten minutes. */
const MAX_ATTEMPTS = 15;
const UNEXPECTED = `The job failed ${MAX_ATTEMPTS} times. The server's log has the reason, with the id of the job.`;
const DISK_FULL = "The server's disk is full. Start again once there is free space.";

type RunTransfer = (running: Transfer) => Promise<void>;

/** The folder for temporary files of transfers. */
const temporaryFolder = ({ dataDir }: { dataDir: string }) => path.join(dataDir, 'transfers');

/**
 * Removes the temporary files of transfers that were running when the previous process was killed. Call this at
 * the start. A process with another folder may take over such a transfer, but would not remove these files.
 */
export const removeLeftoverFiles = (config: { dataDir: string }): Promise<void> =>
  rm(temporaryFolder(config), { recursive: true, force: true });

/**
 * Returns a function that creates the handler of exports or imports for the given tables. An interrupted job
 * starts over, since an archive shows one moment, and an import is one transaction.
 */
const handlerOf = (job: Job<JobRef>, run: RunTransfer) => (tables: readonly ArchivedTable[]) =>
  handleJob(job, async (services: Services, ref, signal, attempt = 1) => {
    const [row] = await services.db.query<TransferRow>(sql`
      UPDATE transfers SET state = 'running'
      WHERE ${isTransfer(ref)} AND state IN ('waiting', 'running') RETURNING ${transferColumns}`);
    // The transfer has ended, or was deleted.
    if (!row) return;
    const folder = path.join(temporaryFolder(services.config), ref.jobId);
    await rm(folder, { recursive: true, force: true });
    const advance = progressOf(services, ref, signal);
    try {
      await run({ services, ref, row, tables, folder, signal, advance });
    } catch (error) {
      const isFinal = wouldFailAgain(error);
      const isDiskFull = codeOf(error) === 'ENOSPC';
      // Throwing makes the job run again.
      if (!isFinal && !isDiskFull && (attempt < MAX_ATTEMPTS || signal.aborted)) throw error;
      if (!isFinal)
        services.log.error({ err: error, ...ref }, 'A transfer failed and is not tried again.');
      const problem = isFinal ? error.message : isDiskFull ? DISK_FULL : UNEXPECTED;
      await services.db.transaction(async (tx) => endTransfer(tx, ref, { problem }));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    // The archive of an import is no longer needed.
    if (row.kind === 'import') {
      await requireStore(services).remove(archiveFile(ref.tenantId, row).key);
    }
  });

export const exportHandler = handlerOf(exportJob, exportArchive);
export const importHandler = handlerOf(importJob, importArchive);

/** Whether another attempt would fail in the same way, for a reason that may be shown to the caller. */
const wouldFailAgain = (error: unknown): error is AppError =>
  error instanceof AppError && !STATUSES[error.status].retryable && error.status !== 'INTERNAL';

/** Returns a function that counts the progress of a transfer, and stores it from time to time. */
function progressOf(services: Services, ref: JobRef, signal: AbortSignal): Transfer['advance'] {
  const progress: Progress = { rows: 0, files: 0 };
  let reportedAt = performance.now();
  return async ({ rows = 0, files = 0 }) => {
    signal.throwIfAborted();
    progress.rows += rows;
    progress.files += files;
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    await services.db.query(sql`
      UPDATE transfers SET progress = ${JSON.stringify(progress)}::jsonb WHERE ${isTransfer(ref)}`);
  };
}
