import { requireAdvancedQueries } from '../../../api/advanced-queries.ts';
import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { deleteDocuments } from '../deletion/delete-documents.ts';
import { addDocuments } from '../documents/add-documents.ts';
import { moveDocuments, updateDocuments } from '../documents/change-documents.ts';
import { getDocuments } from '../documents/get-documents.ts';
import {
  AddDocuments,
  DeleteDocuments,
  documentPage,
  GetDocuments,
  MoveDocuments,
  UpdateDocumentAccess,
  UpdateDocuments,
} from '../documents/schema.ts';

const outcome = (message: string) => ({
  'launch-plan': { success: true, id: 'launch-plan', message },
});

export const documentsRouter = (dependents: Dependents) =>
  router({
    add: apiKeyOperation({
      path: '/v2/organizations/documents/add',
      addsContent: true,
      summary: 'Add documents',
      description:
        'Adds documents at the root of the organization, or in one of its folders. A document that already exists is not changed.',
      message: 'Document(s) added successfully.',
      example: {
        request: {
          organizationId: 'acme',
          createOrganization: true,
          documents: [{ documentId: 'launch-plan', documentName: 'Launch plan' }],
        },
        response: outcome('Document added.'),
      },
    })
      .input(AddDocuments)
      .output(outcomes)
      .mutation(({ ctx, input }) => addDocuments(ctx, input)),

    get: apiKeyOperation({
      path: '/v2/organizations/documents/get',
      summary: 'Get documents',
      description: 'Documents of an organization, ordered by id, a page at a time.',
      message: 'Document(s) retrieved successfully.',
      envelope: 'page',
      pageTokenField: 'pageToken',
      fromReplica: true,
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
      .query(({ ctx, input }) => getDocuments(requireAdvancedQueries(ctx), input)),

    update: apiKeyOperation({
      path: '/v2/organizations/documents/update',
      addsContent: true,
      summary: 'Update documents',
      description: 'Changes the fields that are given; fields of your own are merged.',
      message: 'Document(s) updated successfully.',
      example: {
        request: {
          organizationId: 'acme',
          documents: [
            { documentId: 'launch-plan', documentName: 'Launch plan 2', disabled: false },
          ],
        },
        response: outcome('Document updated.'),
      },
    })
      .input(UpdateDocuments)
      .output(outcomes)
      .mutation(({ ctx, input }) => updateDocuments(ctx, input)),

    move: apiKeyOperation({
      path: '/v2/organizations/documents/move',
      summary: 'Move documents',
      description:
        'Moves documents into a folder, whose access type then applies, or to the root (null).',
      message: 'Document(s) moved successfully.',
      example: {
        request: { organizationId: 'acme', documentIds: ['launch-plan'], folderId: 'contracts' },
        response: outcome('Document moved.'),
      },
    })
      .input(MoveDocuments)
      .output(outcomes)
      .mutation(({ ctx, input }) => moveDocuments(ctx, input)),

    updateAccess: apiKeyOperation({
      path: '/v2/organizations/documents/access/update',
      summary: 'Update the access type of documents',
      description: 'Sets the access type that applies while a document is not in a folder.',
      message: 'Document(s) access updated successfully.',
      example: {
        request: { organizationId: 'acme', documentIds: ['launch-plan'], accessType: 'restricted' },
        response: outcome('Document updated.'),
      },
    })
      .input(UpdateDocumentAccess)
      .output(outcomes)
      .mutation(({ ctx, input }) => updateDocuments(ctx, input)),

    delete: apiKeyOperation({
      path: '/v2/organizations/documents/delete',
      summary: 'Delete documents',
      description:
        'Deletes documents with all dependent data. A missing document counts as success.',
      message: 'Document(s) deleted successfully.',
      example: {
        request: { organizationId: 'acme', documentIds: ['launch-plan'] },
        response: outcome('Document deleted.'),
      },
    })
      .input(DeleteDocuments)
      .output(outcomes)
      .mutation(({ ctx, input }) => deleteDocuments({ ...ctx, dependents }, input)),
  });
