import { id } from '../../api/fields.ts';
import { invalidArgument } from '../../platform/errors.ts';

export interface ResourceRef {
  type: 'organization' | 'folder' | 'document';
  id: string;
}

/** Identifies a document. Its id is unique in its organization. */
export interface DocumentRef {
  organizationId: string;
  documentId: string;
}

/** Returns the key of a place. No type contains a colon, so no two resources share a key. */
export const keyOf = (type: ResourceRef['type'], placeId: string): string => `${type}:${placeId}`;

/** The fields by which operations name an organization, or one document or folder of it. */
export const placeFields = {
  organizationId: id,
  documentId: id.optional(),
  folderId: id.optional().meta({ description: 'Not together with documentId.' }),
};

export interface NamedPlace {
  organizationId: string;
  documentId?: string | undefined;
  folderId?: string | undefined;
}

/** Whether a call names a document or a folder or neither, but not both. Use: `.refine(namesOnePlace, ONE_PLACE)`. */
export const namesOnePlace = ({ documentId, folderId }: NamedPlace): boolean =>
  documentId === undefined || folderId === undefined;

export const ONE_PLACE = {
  path: ['folderId'],
  message: 'must not be given together with documentId',
};

/** Returns the document or the folder that a call names, or else the organization. */
export function resourceOf({ organizationId, documentId, folderId }: NamedPlace): ResourceRef {
  if (documentId !== undefined) return { type: 'document', id: documentId };
  if (folderId !== undefined) return { type: 'folder', id: folderId };
  return { type: 'organization', id: organizationId };
}

/** Creates the error INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found). */
export function placeNotFound(type: ResourceRef['type'], id?: string) {
  const which = id === undefined ? type : `${type} ${id}`;
  return invalidArgument(`The ${which} does not exist. Add it first: ${type}s.add.`, {
    reason: `${type}_not_found`,
  });
}

/** Creates the same error for a resource that a background job is deleting. */
export const placeBeingDeleted = (type: ResourceRef['type'], id: string) =>
  invalidArgument(`The ${type} ${id} is being deleted.`, { reason: `${type}_not_found` });
