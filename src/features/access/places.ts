import { id } from '../../api/fields.ts';

/** A resource that grants can be given on. */
export interface ResourceRef {
  type: 'organization' | 'folder' | 'document';
  id: string;
}

/** Identifies a document. Its id is unique in its organization. */
export interface DocumentRef {
  organizationId: string;
  documentId: string;
}

/** The place key. No type contains a colon, so no two resources share a key. */
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

/** For `.refine(namesOnePlace, ONE_PLACE)`. */
export const namesOnePlace = ({ documentId, folderId }: NamedPlace): boolean =>
  documentId === undefined || folderId === undefined;

export const ONE_PLACE = {
  path: ['folderId'],
  message: 'must not be given together with documentId',
};

export function resourceOf({ organizationId, documentId, folderId }: NamedPlace): ResourceRef {
  if (documentId !== undefined) return { type: 'document', id: documentId };
  if (folderId !== undefined) return { type: 'folder', id: folderId };
  return { type: 'organization', id: organizationId };
}
