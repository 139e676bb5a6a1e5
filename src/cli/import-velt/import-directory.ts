import { chunksOf, idOf, rowsOf, textOf, without } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { OrganizationImport } from './import-context.ts';

/** How many levels of folders one call reads. */
const MAX_DEPTH = 10;
const FOLDERS_PER_CALL = 500;
const OMITTED_ORGANIZATION_FIELDS = new Set(['id', 'apiKey']);
/** Fields with the place of a folder are omitted, since the tree of folders in the response shows the place. */
const OMITTED_FOLDER_FIELDS = new Set([
  'subfolders',
  'ancestors',
  'organizationId',
  'apiKey',
  'id',
]);
const OMITTED_DOCUMENT_FIELDS = new Set(['id', 'organizationId', 'apiKey', 'folderId']);

export async function addOrganization(ctx: OrganizationImport, row: Row): Promise<void> {
  const { to, writer, organizationId } = ctx;
  const organization = { ...without(row, OMITTED_ORGANIZATION_FIELDS), organizationId };
  await writer.send('organizations', [organization], 'organizationId', (organizations) =>
    to.organizations.add({ organizations }),
  );
}

type Folder = Row & { folderId: string };

/** Imports the tree of folders, and returns the folders' ids with parents before their children. */
export async function importFolders(ctx: OrganizationImport): Promise<string[]> {
  const { to, writer, organizationId } = ctx;
  const all: Folder[] = [];
  for await (const folder of foldersIn(ctx)) all.push(folder);
  for (const part of chunksOf(all, FOLDERS_PER_CALL)) {
    await writer.send('folders', part, 'folderId', (folders) =>
      to.folders.add({ organizationId, folders }),
    );
  }
  return all.map(({ folderId }) => folderId);
}

/** Yields the folders of the organization, or those below one folder, each before its children. */
async function* foldersIn(ctx: OrganizationImport, parentId?: string): AsyncGenerator<Folder> {
  const { from, organizationId } = ctx;
  const query = { organizationId, folderId: parentId, maxDepth: MAX_DEPTH };
  for await (const { rows } of from.pages('/v2/organizations/folders/get', query)) {
    for (const row of rows) {
      // The response about one folder begins with the folder itself.
      if (parentId !== undefined && row.folderId === parentId) {
        for (const child of rowsOf(row.subfolders)) yield* treeOf(ctx, child, parentId);
      } else {
        yield* treeOf(ctx, row);
      }
    }
  }
}

/** Yields a folder and all folders below it. Levels that a response leaves out are read by further calls. */
async function* treeOf(
  ctx: OrganizationImport,
  row: Row,
  parentFolderId = textOf(row.parentFolderId),
): AsyncGenerator<Folder> {
  const folderId = textOf(row.folderId);
  if (folderId === undefined) return;
  yield { ...without(row, OMITTED_FOLDER_FIELDS), folderId, parentFolderId };
  if (row.subfolders === undefined) yield* foldersIn(ctx, folderId);
  else for (const child of rowsOf(row.subfolders)) yield* treeOf(ctx, child, folderId);
}

/**
 * Reads the documents folder by folder, since a document does not name its folder. Documents without
 * a folder are read last.
 */
export async function importDocuments(
  { from, to, writer, organizationId }: OrganizationImport,
  folderIds: string[],
): Promise<void> {
  const seen = new Set<string>();
  // Subfolders come before the folders above them, in case a folder also shows the documents of its subfolders.
  for (const folderId of [...folderIds.toReversed(), undefined]) {
    const parent = { organizationId, folderId };
    for await (const { rows } of from.pages('/v2/organizations/documents/get', parent)) {
      const newDocuments = rows.flatMap((row) => {
        const documentId = idOf(row, 'documentId');
        if (documentId === undefined || seen.has(documentId)) return [];
        seen.add(documentId);
        return [{ ...without(row, OMITTED_DOCUMENT_FIELDS), documentId }];
      });
      await writer.send('documents', newDocuments, 'documentId', (documents) =>
        to.documents.add({ ...parent, documents }),
      );
    }
  }
}
