import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { ExportArchiveInput, ImportArchiveInput, ImportStarted, Report } from './schema.ts';
import {
  addTransfer,
  archiveFile,
  exportJob,
  importJob,
  isTransfer,
  type Progress,
  requireStore,
  type TransferRow,
  transferColumns,
} from './transfers.ts';

const LINK_SECONDS = 3_600;

/**
 * Starts a job that writes an archive. While the job runs, an equal request returns the same job.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export function requestExport(
  ctx: KeyContext,
  { organizationId }: ExportArchiveInput,
): Promise<{ jobId: string }> {
  requireStore(ctx);
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    if (organizationId !== undefined) await requireOrganization(tx, tenantId, organizationId);
    const request = JSON.stringify(['export', organizationId ?? null]);
    const transfer = { request, organizationId, kind: 'export', state: 'waiting' } as const;
    const { jobId, isNew } = await addTransfer(ctx, tx, transfer);
    if (isNew) await ctx.jobs.add(tx, exportJob, [{ tenantId, jobId }]);
    return { jobId };
  });
}

/**
 * Returns a link for the upload of the archive. An equal call after the upload starts a job that
 * imports the archive, and further equal calls return this job until it ends.
 *
 * @throws RESOURCE_EXHAUSTED if the archive exceeds the storage quota
 */
export async function requestImport(
  ctx: KeyContext,
  { organizationId, archive }: ImportArchiveInput,
): Promise<ImportStarted> {
  const files = requireStore(ctx);
  const { tenantId } = ctx;
  const request = JSON.stringify(['import', organizationId ?? null, archive]);
  const transfer = {
    request,
    organizationId,
    archive,
    kind: 'import',
    state: 'uploading',
  } as const;
  const row = await ctx.db.transaction(async (tx) => {
    const added = await addTransfer(ctx, tx, transfer);
    if (added.isNew) await ctx.quotas.of(tenantId, ctx.key.quotas)?.reserveStorage(archive.size);
    return added;
  });
  const { jobId } = row;
  if (row.state !== 'uploading') return { jobId };
  const file = archiveFile(tenantId, row);
  if ((await files.compare(file)) !== 'same') {
    const link = await files.uploadLink(file, LINK_SECONDS);
    const expiresAt = unixSeconds(ctx.clock) + LINK_SECONDS;
    return { jobId, upload: { ...link, expiresAt } };
  }
  await ctx.db.transaction(async (tx) => {
    const [started] = await tx.query(sql`
      UPDATE transfers SET state = 'waiting'
      WHERE ${isTransfer({ tenantId, jobId })} AND state = 'uploading' RETURNING 1`);
    if (started) await ctx.jobs.add(tx, importJob, [{ tenantId, jobId }]);
  });
  return { jobId };
}

/** @throws NOT_FOUND if the key has no such job */
export async function getTransferStatus(ctx: KeyContext, { jobId }: { jobId: string }) {
  const [row] = await ctx.db.query<TransferRow>(sql`
    SELECT ${transferColumns} FROM transfers
    WHERE ${isTransfer({ tenantId: ctx.tenantId, jobId })}`);
  if (!row) throw new AppError('NOT_FOUND', 'The job does not exist.');
  const { kind, organizationId, state, progress, report, problem, size, checksum } = row;
  const isReady = kind === 'export' && state === 'done';
  return {
    jobId,
    kind,
    state,
    ...(organizationId !== null && { organizationId }),
    progress: report ? totalOf(report) : { rows: progress.rows ?? 0, files: progress.files ?? 0 },
    ...(isReady && {
      archive: {
        url: await requireStore(ctx).downloadLink(archiveFile(ctx.tenantId, row), LINK_SECONDS),
        expiresAt: unixSeconds(ctx.clock) + LINK_SECONDS,
        size: Number(size),
        checksum: checksum ?? '',
      },
    }),
    ...(report && { report }),
    ...(problem !== null && { problem }),
  };
}

const totalOf = ({ rows, files }: Report): Progress => ({
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  files,
});
