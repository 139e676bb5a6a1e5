import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import type { Place, Question } from './question.ts';

/** The places that decide about what is asked, from the organization down to it. */
export function usePlaces({ organizationId, documentId, folderId }: Question) {
  const { apiKey, client, own } = useKey();
  return useQuery({
    queryKey: ['access', apiKey, 'places', organizationId, documentId, folderId],
    queryFn: async ({ signal }): Promise<Place[]> => {
      const { data } = await client.organizations.get(
        { organizationIds: [organizationId] },
        { signal },
      );
      const root: Place = {
        type: 'organization',
        id: organizationId,
        name: data[0]?.organizationName ?? organizationId,
      };
      if (documentId !== undefined) return [root, ...(await toDocument(documentId, signal))];
      if (folderId !== undefined) return [root, ...(await toFolder(folderId, signal))];
      return [root];
    },
  });

  async function toDocument(id: string, signal: AbortSignal): Promise<Place[]> {
    const [{ folders }, { data }] = await Promise.all([
      own.directory.document.query({ organizationId, documentId: id }, { signal }),
      client.documents.get({ organizationId, documentIds: [id] }, { signal }),
    ]);
    return [
      ...folders.map((folder): Place => {
        return { type: 'folder', id: folder.folderId, name: folder.folderName ?? folder.folderId };
      }),
      { type: 'document', id, name: data[0]?.documentName ?? id },
    ];
  }

  async function toFolder(id: string, signal: AbortSignal): Promise<Place[]> {
    const input = { organizationId, folderId: id, maxDepth: 0 };
    const { data } = await client.folders.get(input, { signal });
    return [
      ...(data[0]?.ancestors ?? []).map(
        (each): Place => ({ type: 'folder', id: each, name: each }),
      ),
      { type: 'folder', id, name: data[0]?.folderName ?? id },
    ];
  }
}
