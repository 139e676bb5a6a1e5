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
        'Instead of a version: a moment of the past, in epoch milliseconds. The result is at most ten seconds older.',
    }),
  })
  .refine(({ versionId, at }) => (versionId === undefined) !== (at === undefined), {
    path: ['versionId'],
    message: 'must be given, unless `at` is; not both',
  });
export type RestoreVersionInput = z.infer<typeof RestoreVersion>;

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

export const versionPage = page(presentedVersion);
