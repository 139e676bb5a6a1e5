import { apiKeyOperation } from '../../api/procedures.ts';
import { getTransferStatus, requestExport, requestImport } from './request-transfer.ts';
import {
  ExportArchive,
  exportStarted,
  ImportArchive,
  importStarted,
  TransferRef,
  transferStatus,
} from './schema.ts';

const jobId = 'cV3xk1mGq8TzW5bYp0Ra';
const checksum = 'a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447';
const archive = { size: 20_480, checksum };

/** The operations on archives, which are part of `organizations`. */
export const transferProcedures = {
  export: apiKeyOperation({
    path: '/v2/organizations/export',
    summary: 'Export an archive',
    description:
      'Starts a job that writes an archive of an organization, or of the whole API key, as it is at one moment. The archive contains no credentials and no secrets. Repeating the call while the job runs returns the same job.',
    message: 'Export started.',
    errors: ['FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED'],
    example: { request: { organizationId: 'acme' }, response: { jobId } },
  })
    .input(ExportArchive)
    .output(exportStarted)
    .mutation(({ ctx, input }) => requestExport(ctx, input)),

  import: apiKeyOperation({
    path: '/v2/organizations/import',
    summary: 'Import an archive',
    description:
      'Returns a link for the upload of the archive. Call this again after the upload to start a job that imports all of it, or nothing. Ids stay the same. Nothing in the archive may already exist in the API key, except for users, who are not changed.',
    message: 'Import accepted.',
    addsContent: true,
    errors: ['FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE'],
    example: {
      request: { organizationId: 'acme', archive },
      response: {
        jobId,
        upload: {
          url: 'https://collaboration.example.com/files/v1.4fTq8bV1',
          method: 'PUT',
          headers: { 'content-type': 'application/x-tar' },
          expiresAt: 1_790_003_600,
        },
      },
    },
  })
    .input(ImportArchive)
    .output(importStarted)
    .mutation(({ ctx, input }) => requestImport(ctx, input)),

  transferStatus: apiKeyOperation({
    path: '/v2/organizations/transfer_status',
    summary: 'Get the status of an export or import',
    description:
      'The progress of the job, and then its result. The job and its archive are deleted after a day.',
    message: 'Transfer status retrieved successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { jobId },
      response: {
        jobId,
        kind: 'export',
        organizationId: 'acme',
        state: 'running',
        progress: { rows: 12_000, files: 0 },
      },
    },
  })
    .input(TransferRef)
    .output(transferStatus)
    .query(({ ctx, input }) => getTransferStatus(ctx, input)),
};
