import { z } from 'zod';
import { accessType, batch, id, name, resource } from '../../api/fields.ts';

const folderFields = {
  folderId: id,
  folderName: name.optional(),
  parentFolderId: id.nullish().meta({ description: 'Absent or null: at the root.' }),
  accessType: accessType.optional().meta({ description: "Absent: the parent's." }),
};

export const FOLDER_FIELDS = Object.keys(folderFields);

/** Specification 2.7; fields of the caller's own are kept. */
export const folder = resource(folderFields);
export type FolderInput = z.infer<typeof folder>;

export const AddFolders = z.object({
  organizationId: id,
  createOrganization: z.boolean().default(false),
  folders: batch(folder),
});
export type AddFoldersInput = z.infer<typeof AddFolders>;
