import { z } from 'zod';
import {
  accessType,
  batch,
  commentAccess,
  id,
  idList,
  name,
  pageSize,
  pageToken,
  resource,
} from '../../../api/fields.ts';
import { page } from '../../../api/paging.ts';

const documentFields = {
  documentId: id,
  documentName: name.optional(),
  accessType: accessType.optional(),
  commentAccess: commentAccess.nullable().optional().meta({
    description: "Who may comment. If null or absent, the key's commentAccess applies.",
  }),
  disabled: z.boolean().optional(),
};

export const documentInput = resource(documentFields).meta({ id: 'DocumentInput' });
export type DocumentInput = z.infer<typeof documentInput>;

export const AddDocuments = z.object({
  organizationId: id,
  folderId: id.optional(),
  createOrganization: z.boolean().default(false),
  documents: batch(
    resource({
      ...documentFields,
      accessType: accessType.optional().meta({
        description:
          "Applies outside folders; in a folder, the folder's type applies. Default: the key's defaultDocumentAccessType, which is `public` (every user of the key may read) unless it was changed.",
      }),
    }).meta({ id: 'NewDocument' }),
  ),
});
export type AddDocumentsInput = z.infer<typeof AddDocuments>;

export const UpdateDocuments = z.object({ organizationId: id, documents: batch(documentInput) });
export type UpdateDocumentsInput = z.infer<typeof UpdateDocuments>;

const documentRef = z.object({ documentId: id });
const documentIds = batch(id).optional();

/** Whether the input names documents by ids or by objects, and not by both. */
const hasOneList = (input: { documentIds?: unknown; documents?: unknown }) =>
  (input.documentIds === undefined) !== (input.documents === undefined);
const ONE_LIST = {
  path: ['documentIds'],
  message: 'is required, unless documents is given instead',
};

export const MoveDocuments = z
  .object({
    organizationId: id,
    documentIds,
    documents: batch(documentRef).optional(),
    folderId: id.nullable().meta({ description: 'Null moves the documents to the root.' }),
  })
  .refine(hasOneList, ONE_LIST)
  .transform(({ documentIds, documents, ...input }) => ({
    ...input,
    documentIds: documentIds ?? documents?.map(({ documentId }) => documentId) ?? [],
  }));
export type MoveDocumentsInput = z.infer<typeof MoveDocuments>;

export const UpdateDocumentAccess = z
  .object({
    organizationId: id,
    documentIds,
    documents: batch(documentRef.extend({ accessType: accessType.optional() })).optional(),
    accessType: accessType
      .optional()
      .meta({ description: 'The type for all documents that do not name one themselves.' }),
  })
  .refine(hasOneList, ONE_LIST)
  .superRefine(({ documents, accessType: commonType }, check) => {
    if (commonType !== undefined) return;
    const untyped = documents?.findIndex((document) => document.accessType === undefined);
    if (untyped === -1) return;
    const path = untyped === undefined ? ['accessType'] : ['documents', untyped, 'accessType'];
    check.addIssue({ code: 'custom', path, message: 'is required' });
  })
  .transform(({ organizationId, documentIds, documents, accessType: commonType }) => ({
    organizationId,
    documents: (documents ?? documentIds?.map((documentId) => ({ documentId })) ?? []).map(
      (document): DocumentInput => ({ accessType: commonType, ...document }),
    ),
  }));

export const DeleteDocuments = z.object({ organizationId: id, documentIds: batch(id) });
export type DeleteDocumentsInput = z.infer<typeof DeleteDocuments>;

export const GetDocuments = z.object({
  organizationId: id,
  documentIds: idList(30).optional(),
  folderId: id.optional(),
  pageSize,
  pageToken,
});
export type GetDocumentsInput = z.infer<typeof GetDocuments>;

/** A document in responses (specification 2.8), with its metadata. */
export const presentedDocument = z
  .looseObject({
    id: z.string(),
    documentName: z.string(),
    disabled: z.boolean(),
    accessType: accessType.meta({ description: "In a folder, the folder's type." }),
    commentAccess: commentAccess.optional().meta({
      description: "If absent, the key's commentAccess applies.",
    }),
  })
  .meta({ id: 'Document' });
export type PresentedDocument = z.infer<typeof presentedDocument>;

export const documentPage = page(presentedDocument);
