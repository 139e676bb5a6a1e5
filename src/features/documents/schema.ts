import { z } from 'zod';
import {
  accessType,
  batch,
  id,
  idList,
  name,
  pageSize,
  pageToken,
  resource,
} from '../../api/fields.ts';

const documentFields = {
  documentId: id,
  documentName: name.optional(),
  accessType: accessType.optional(),
};

export const DOCUMENT_FIELDS = Object.keys(documentFields);

export const documentInput = resource(documentFields);
export type DocumentInput = z.infer<typeof documentInput>;

export const AddDocuments = z.object({
  organizationId: id,
  folderId: id.optional(),
  createOrganization: z.boolean().default(false),
  documents: batch(documentInput),
});
export type AddDocumentsInput = z.infer<typeof AddDocuments>;

export const GetDocuments = z.object({
  organizationId: id,
  documentIds: idList(30).optional(),
  folderId: id.optional(),
  pageSize,
  pageToken,
});
export type GetDocumentsInput = z.infer<typeof GetDocuments>;

/** A document as read operations present it (specification 2.8), with its caller's own fields. */
export const presentedDocument = z.looseObject({
  id: z.string(),
  documentName: z.string(),
  disabled: z.boolean(),
  accessType: accessType.meta({ description: "Inside a folder, the folder's." }),
});
export type PresentedDocument = z.infer<typeof presentedDocument>;

export const documentPage = z.object({
  data: z.array(presentedDocument),
  nextPageToken: z.string().optional(),
});
