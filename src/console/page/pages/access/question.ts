import type { PermissionsExplainInput } from '../../../../client/index.ts';
import type { PageSearch } from '../../app/page-search.ts';

export type Question = PermissionsExplainInput;

/** A place where a role can be given. */
export interface Place {
  type: 'organization' | 'folder' | 'document';
  id: string;
  name: string;
}

/** The question in the address: undefined while it names no organization or user. */
export function questionOf(search: PageSearch): Question | undefined {
  const { organization, user, document, folder } = search;
  if (!organization || !user) return undefined;
  const question = { organizationId: organization, userId: user };
  if (document) return { ...question, documentId: document };
  return folder ? { ...question, folderId: folder } : question;
}

export const isAt = (
  place: Pick<Place, 'type' | 'id'>,
  other: Pick<Place, 'type' | 'id'> | undefined,
): boolean => place.type === other?.type && place.id === other.id;

/** A place as it is named in a sentence. */
export const nameOf = ({ type, name }: Place): string => `the ${type} ${name}`;
