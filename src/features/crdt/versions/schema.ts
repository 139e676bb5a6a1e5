import { z } from 'zod';
import { epochMs, id, name, pageSize, pageToken } from '../../../api/fields.ts';
import { page } from '../../../api/paging.ts';
import { editor } from '../schema.ts';

export const CreateVersion = z.object({ ...editor, name: name.optional() });
export type CreateVersionInput = z.infer<typeof CreateVersion>;

export const ListVersions = z.object({ ...editor, pageSize, pageToken });
export type ListVersionsInput = z.infer<typeof ListVersions>;

export const RestoreVersion = z
  .object({
    ...editor,
    versionId: id.optional(),
    at: z.int().nonnegative().optional().meta({
      description:
        'Instead of `versionId`: a moment in the past, in epoch milliseconds. The restored content is at most ten seconds older.',
    }),
  })
  .refine(({ versionId, at }) => (versionId === undefined) !== (at === undefined), {
    path: ['versionId'],
    message: 'must be given if `at` is not, but not together with it',
  });
export type RestoreVersionInput = z.infer<typeof RestoreVersion>;

export const presentedVersion = z
  .object({
    versionId: z.string(),
    name: z.string().nullable(),
    version: z.number().meta({ description: 'The `version` of the content that is stored in it.' }),
    createdAt: epochMs,
    createdBy: z.string().nullable().meta({ description: 'A userId; null for an API key.' }),
  })
  .meta({ id: 'Version' });
export type PresentedVersion = z.infer<typeof presentedVersion>;

export const versionPage = page(presentedVersion);
