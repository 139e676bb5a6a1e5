import { chunksOf, idOf, rowsOf, textOf, without } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { OrganizationImport } from './import-context.ts';

/** The levels of folders that are read in one call. */
const MAX_DEPTH = 10;
const PER_CALL = 500;
const ORGANIZATION_FIELDS = new Set(['id', 'apiKey']);
/** Fields of a folder that are not imported: the tree shows where the folder is. */
const FOLDER_FIELDS = new Set(['subfolders', 'ancestors', 'organizationId', 'apiKey', 'id']);
const DOCUMENT_FIELDS = new Set(['id', 'organizationId', 'apiKey', 'folderId']);

export async function addOrganization(ctx: OrganizationImport, row: Row): Promise<void> {
  const { to, writer, organizationId } = ctx;
  const organization = { ...without(row, ORGANIZATION_FIELDS), organizationId };
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
  for (const part of chunksOf(all, PER_CALL)) {
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
      const isParent = parentId !== undefined && row.folderId === parentId;
      // The answer about one folder begins with the folder itself.
      if (!isParent) yield* treeOf(ctx, row);
      else for (const child of rowsOf(row.subfolders)) yield* treeOf(ctx, child, parentId);
    }
  }
}

/** Yields a folder and all folders below it. Levels that an answer leaves out are read by further calls. */
async function* treeOf(
  ctx: OrganizationImport,
  row: Row,
  parentFolderId = textOf(row.parentFolderId),
): AsyncGenerator<Folder> {
  const folderId = textOf(row.folderId);
  if (folderId === undefined) return;
  yield { ...without(row, FOLDER_FIELDS), folderId, parentFolderId };
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
  const placed = new Set<string>();
  // Folders below others come first, in case a folder shows the documents of those below it.
  for (const folderId of [...folderIds.toReversed(), undefined]) {
    const folder = { organizationId, folderId };
    for await (const { rows } of from.pages('/v2/organizations/documents/get', folder)) {
      const newDocuments = rows.flatMap((row) => {
        const documentId = idOf(row, 'documentId');
        if (documentId === undefined || placed.has(documentId)) return [];
        placed.add(documentId);
        return [{ ...without(row, DOCUMENT_FIELDS), documentId }];
      });
      await writer.send('documents', newDocuments, 'documentId', (documents) =>
        to.documents.add({ ...folder, documents }),
      );
    }
  }
}
