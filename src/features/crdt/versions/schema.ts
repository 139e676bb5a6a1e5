import { z } from 'zod';
import { epochMs, id, pageSize, pageToken } from '../../../api/fields.ts';

export const ListVersions = z.object({
  organizationId: id,
  documentId: id,
  editorId: id,
  pageSize,
  pageToken,
});
export type ListVersionsInput = z.infer<typeof ListVersions>;

export const presentedVersion = z
  .object({
    versionId: z.string(),
    name: z.string().nullable(),
    version: z.number().meta({ description: 'The version of the content that it holds.' }),
    createdAt: epochMs,
    createdBy: z.string().nullable().meta({ description: 'A userId; null: an API key.' }),
  })
  .meta({ id: 'Version' });
export type PresentedVersion = z.infer<typeof presentedVersion>;

export const versionPage = z.object({
  data: z.array(presentedVersion),
  nextPageToken: z.string().optional(),
});
