import { z } from 'zod';
import { id } from '../../api/fields.ts';

const organizationId = id.optional();

export const ExportArchive = z.object({
  organizationId: organizationId.meta({
    description: 'The organization. Default: the whole API key, with its settings.',
  }),
});
export type ExportArchiveInput = z.infer<typeof ExportArchive>;

export const ImportArchive = z.object({
  organizationId: organizationId.meta({
    description:
      'If given, only an archive of this organization is accepted. Otherwise, everything in the archive is imported.',
  }),
  archive: z.object({
    size: z.int().positive().meta({ description: 'Bytes.' }),
    checksum: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')
      .meta({ description: 'SHA-256 in hexadecimal digits.' }),
  }),
});
export type ImportArchiveInput = z.infer<typeof ImportArchive>;

export const exportStarted = z.object({ jobId: z.string() });

export const importStarted = z.object({
  jobId: z.string(),
  upload: z
    .object({
      url: z.string(),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()),
      expiresAt: z.int().meta({ description: 'Unix seconds.' }),
    })
    .optional()
    .meta({ description: 'Send the archive here, then call again. Absent once it has arrived.' }),
});
export type ImportStarted = z.infer<typeof importStarted>;

export const TransferRef = z.object({ jobId: id });

const count = z.int().min(0);

export const transferStatus = z
  .object({
    jobId: z.string(),
    kind: z.enum(['export', 'import']),
    organizationId: z.string().optional(),
    state: z.enum(['uploading', 'waiting', 'running', 'done', 'failed']),
    progress: z.object({ rows: count, files: count }),
    archive: z
      .object({
        url: z.string(),
        expiresAt: z.int().meta({ description: 'Unix seconds.' }),
        size: count,
        checksum: z.string(),
      })
      .optional()
      .meta({ description: 'The link to a finished export, valid for an hour.' }),
    report: z
      .object({
        eventCursor: z
          .string()
          .meta({ description: 'The cursor with which events.get continues after the archive.' }),
        rows: z.record(z.string(), count).meta({ description: 'Rows by table.' }),
        files: count,
        missingFiles: count.meta({ description: 'Attachments whose files no longer existed.' }),
      })
      .optional(),
    problem: z
      .string()
      .optional()
      .meta({ description: 'Why the job failed. Nothing was changed.' }),
  })
  .meta({ id: 'TransferStatus' });
export type TransferStatus = z.infer<typeof transferStatus>;
export type Report = NonNullable<TransferStatus['report']>;
