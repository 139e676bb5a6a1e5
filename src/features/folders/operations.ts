import { requireAdvancedQueries } from '../../api/advanced-queries.ts';
import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addFolders } from './add-folders.ts';
import { AddFolders } from './schema.ts';

export const foldersRouter = router({
  add: apiKeyOperation({
    path: '/v2/organizations/folders/add',
    summary: 'Add folders',
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
    .mutation(({ ctx, input }) => {
      requireAdvancedQueries(ctx);
      return addFolders(ctx, input);
    }),
});
