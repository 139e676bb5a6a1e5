import { requireAdvancedQueries } from '../../../api/advanced-queries.ts';
import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { deleteFolders } from '../deletion/delete-trees.ts';
import { addFolders } from '../folders/add-folders.ts';
import { getFolders } from '../folders/get-folders.ts';
import {
  AddFolders,
  DeleteFolders,
  folderPage,
  GetFolders,
  UpdateFolders,
} from '../folders/schema.ts';
import { updateFolders } from '../folders/update-folders.ts';

export const foldersRouter = (dependents: Dependents) =>
  router({
    add: apiKeyOperation({
      path: '/v2/organizations/folders/add',
      addsContent: true,
      summary: 'Add folders',
      description:
        'Parents may be added in the same call. A folder that already exists is not changed.',
      message: 'Folder(s) added successfully.',
      errors: ['FAILED_PRECONDITION'],
      example: {
        request: {
          organizationId: 'acme',
          createOrganization: true,
          folders: [{ folderId: 'contracts', folderName: 'Contracts', accessType: 'restricted' }],
        },
        response: { contracts: { success: true, id: 'contracts', message: 'Folder added.' } },
      },
    })
      .input(AddFolders)
      .output(outcomes)
      .mutation(({ ctx, input }) => addFolders(requireAdvancedQueries(ctx), input)),

    get: apiKeyOperation({
      path: '/v2/organizations/folders/get',
      summary: 'Get folders',
      description:
        'One folder, or the folders at the root ordered by id, with the folders below them down to maxDepth.',
      message: 'Folder(s) retrieved successfully.',
      envelope: 'page',
      fromReplica: true,
      example: {
        request: { organizationId: 'acme', folderId: 'contracts', maxDepth: 1 },
        response: [
          {
            folderId: 'contracts',
            folderName: 'Contracts',
            parentFolderId: 'legal',
            accessType: 'restricted',
            ancestors: ['legal'],
            subfolders: [
              {
                folderId: 'drafts',
                folderName: 'Drafts',
                parentFolderId: 'contracts',
                accessType: 'restricted',
                ancestors: ['legal', 'contracts'],
              },
            ],
          },
        ],
      },
    })
      .input(GetFolders)
      .output(folderPage)
      .query(({ ctx, input }) => getFolders(ctx, input)),

    update: apiKeyOperation({
      path: '/v1/organizations/folders/update',
      addsContent: true,
      summary: 'Update folders',
      description:
        'Changes the fields that are given, merges fields of your own, and moves folders with everything below them. Moves are checked in the given order.',
      message: 'Folder(s) updated successfully.',
      errors: ['FAILED_PRECONDITION'],
      example: {
        request: {
          organizationId: 'acme',
          folders: [{ folderId: 'contracts', folderName: 'Contracts', parentFolderId: 'legal' }],
        },
        response: { contracts: { success: true, id: 'contracts', message: 'Folder updated.' } },
      },
    })
      .input(UpdateFolders)
      .output(outcomes)
      .mutation(({ ctx, input }) => updateFolders(requireAdvancedQueries(ctx), input)),

    delete: apiKeyOperation({
      path: '/v2/organizations/folders/delete',
      summary: 'Delete folders',
      description:
        'Deletes folders with all folders and documents below them. A large folder is deleted in the background, as its message says: users lose their access at once, nothing can be added to it any more, and its id can be used again after the deletion.',
      message: 'Folder(s) deleted successfully.',
      example: {
        request: { organizationId: 'acme', folderId: 'contracts' },
        response: { contracts: { success: true, id: 'contracts', message: 'Folder deleted.' } },
      },
    })
      .input(DeleteFolders)
      .output(outcomes)
      .mutation(({ ctx, input }) => deleteFolders({ ...ctx, dependents }, input)),
  });
