import { requireAdvancedQueries } from '../../api/advanced-queries.ts';
import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addDocuments } from './add-documents.ts';
import { getDocuments } from './get-documents.ts';
import { AddDocuments, documentPage, GetDocuments } from './schema.ts';

export const documentsRouter = router({
  add: apiKeyOperation({
    path: '/v2/organizations/documents/add',
    summary: 'Add documents',
    message: 'Document(s) added successfully.',
    example: {
      request: {
        organizationId: 'acme',
        createOrganization: true,
        documents: [{ documentId: 'launch-plan', documentName: 'Launch plan' }],
      },
      response: { 'launch-plan': { success: true, id: 'launch-plan', message: 'Document added.' } },
    },
  })
    .input(AddDocuments)
    .output(outcomes)
    .mutation(({ ctx, input }) => addDocuments(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/organizations/documents/get',
    summary: 'Get documents',
    description: 'Documents of an organization in the order of their ids, a page at a time.',
    message: 'Document(s) retrieved successfully.',
    envelope: 'page',
    pageTokenField: 'pageToken',
    errors: ['FAILED_PRECONDITION'],
    example: {
      request: { organizationId: 'acme', documentIds: ['launch-plan'] },
      response: [
        { id: 'launch-plan', documentName: 'Launch plan', disabled: false, accessType: 'public' },
      ],
    },
  })
    .input(GetDocuments)
    .output(documentPage)
    .query(({ ctx, input }) => {
      requireAdvancedQueries(ctx);
      return getDocuments(ctx, input);
    }),
});
