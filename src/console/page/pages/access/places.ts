import { useQuery } from '@tanstack/react-query';
import type { PermissionsExplainInput } from '../../../../client/index.ts';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';

export type Question = PermissionsExplainInput;

/** A place where a role can be given. */
export interface Place {
  type: 'organization' | 'folder' | 'document';
  id: string;
  name: string;
}

export type PlaceRef = Pick<Place, 'type' | 'id'>;

export const isAt = (place: PlaceRef, other: PlaceRef | undefined): boolean =>
  place.type === other?.type && place.id === other.id;

/** A place as it is named in a sentence. */
export const nameOf = ({ type, name }: Place): string => `the ${type} ${name}`;

/** The places that decide about what is asked, from the organization down to it. */
export function usePlaces(question: Question) {
  const { apiKey } = useKey();
  const { organizationId, documentId, folderId } = question;
  return useQuery({
    queryKey: ['places', apiKey, organizationId, documentId, folderId],
    queryFn: async ({ signal }): Promise<Place[]> => {
      const input = { organizationIds: [organizationId] };
      const { data } = await call(apiKey, 'organizations.get', input, signal);
      const name = data[0]?.organizationName ?? organizationId;
      const root: Place = { type: 'organization', id: organizationId, name };
      if (documentId !== undefined) {
        return [root, ...(await toDocument(apiKey, { organizationId, documentId }, signal))];
      }
      if (folderId !== undefined) {
        return [root, ...(await toFolder(apiKey, { organizationId, folderId }, signal))];
      }
      return [root];
    },
  });
}

async function toDocument(
  apiKey: string,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  signal: AbortSignal,
): Promise<Place[]> {
  const input = { organizationId, documentIds: [documentId] };
  const place = { organizationId, documentId };
  const [{ folders }, { data }] = await Promise.all([
    call(apiKey, 'console.directory.document', place, signal),
    call(apiKey, 'documents.get', input, signal),
  ]);
  const above = folders.map(
    (each): Place => ({
      type: 'folder',
      id: each.folderId,
      name: each.folderName ?? each.folderId,
    }),
  );
  const name = data[0]?.documentName ?? documentId;
  return [...above, { type: 'document', id: documentId, name }];
}

async function toFolder(
  apiKey: string,
  place: { organizationId: string; folderId: string },
  signal: AbortSignal,
): Promise<Place[]> {
  const { data } = await call(apiKey, 'folders.get', { ...place, maxDepth: 0 }, signal);
  const [folder] = data;
  const above = folder?.ancestors ?? [];
  const id = place.folderId;
  return [
    ...above.map((each): Place => ({ type: 'folder', id: each, name: each })),
    { type: 'folder', id, name: folder?.folderName ?? id },
  ];
}
