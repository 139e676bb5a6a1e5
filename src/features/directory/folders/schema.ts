import { z } from 'zod';
import { accessType, batch, id, name, pageSize, pageToken, resource } from '../../../api/fields.ts';
import { page } from '../../../api/paging.ts';
import { MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';

const folderFields = {
  folderId: id,
  folderName: name.optional(),
  parentFolderId: id
    .nullish()
    .meta({ description: 'If absent or null, the folder is at the root.' }),
  accessType: accessType.optional().meta({
    description:
      "Default: the parent's type; at the root `public` (every user of the key may read).",
  }),
};

/** A folder (specification 2.7) with its metadata. */
export const folder = resource(folderFields).meta({ id: 'NewFolder' });
export type FolderInput = z.infer<typeof folder>;

export const AddFolders = z.object({
  organizationId: id,
  createOrganization: z.boolean().default(false),
  folders: batch(folder),
});
export type AddFoldersInput = z.infer<typeof AddFolders>;

const folderUpdate = resource({
  ...folderFields,
  parentFolderId: id.nullish().meta({
    description: 'Null moves the folder to the root. If absent, the folder stays where it is.',
  }),
  accessType: accessType.optional(),
}).meta({ id: 'FolderInput' });

export const UpdateFolders = z.object({ organizationId: id, folders: batch(folderUpdate) });
export type UpdateFoldersInput = z.infer<typeof UpdateFolders>;

export const DeleteFolders = z
  .object({ organizationId: id, folderId: id.optional(), folderIds: batch(id).optional() })
  .refine((input) => (input.folderId === undefined) !== (input.folderIds === undefined), {
    path: ['folderIds'],
    message: 'is required, unless folderId is given instead',
  })
  .transform(({ organizationId, folderId, folderIds }) => ({
    organizationId,
    folderIds: folderIds ?? (folderId === undefined ? [] : [folderId]),
  }));
export type DeleteFoldersInput = z.infer<typeof DeleteFolders>;

export const GetFolders = z.object({
  organizationId: id,
  folderId: id.optional().meta({ description: 'Default: the folders at the root.' }),
  maxDepth: z
    .number()
    .int()
    .min(0)
    .max(MAX_FOLDER_DEPTH)
    .default(1)
    .meta({ description: 'How many levels of subfolders to show below each folder.' }),
  pageSize,
  pageToken,
});
export type GetFoldersInput = z.infer<typeof GetFolders>;

const presentedFields = {
  folderId: z.string(),
  folderName: z.string().meta({ description: 'The id if the folder has no name.' }),
  parentFolderId: z.string().nullable().meta({ description: 'Null if the folder is at the root.' }),
  accessType: accessType.meta({
    description: 'The type of this folder, or else of the nearest folder above it that has a type.',
  }),
  ancestors: z.array(z.string()).meta({ description: 'The folders above it, from the root down.' }),
};

export interface PresentedFolder
  extends z.infer<z.ZodObject<typeof presentedFields, z.core.$loose>> {
  subfolders?: PresentedFolder[];
}

export const presentedFolder: z.ZodType<PresentedFolder> = z
  .looseObject({
    ...presentedFields,
    get subfolders() {
      return z.array(presentedFolder).optional();
    },
  })
  .meta({
    id: 'Folder',
    description: 'subfolders is absent on the last level that maxDepth allows.',
  });

export const folderPage = page(presentedFolder);
