import { partsOf, rowsOf, textOf, userOf, without } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import { documentIdOf, type ImportContext } from './import-context.ts';

/** The levels of folders that are read in one call. */
const MAX_DEPTH = 10;
const PER_CALL = 500;
const ORGANIZATION_FIELDS = new Set(['id', 'apiKey']);
/** The tree says where a folder stands. */
const FOLDER_FIELDS = new Set(['subfolders', 'ancestors', 'organizationId', 'apiKey', 'id']);
const DOCUMENT_FIELDS = new Set(['id', 'organizationId', 'apiKey', 'folderId']);

export async function importOrganizations({ to, writer }: ImportContext, rows: Row[]) {
  const organizations = rows.flatMap((row) => {
    const organizationId = organizationIdOf(row);
    return organizationId ? [{ ...without(row, ORGANIZATION_FIELDS), organizationId }] : [];
  });
  await writer.send('organizations', organizations, {
    idOf: ({ organizationId }) => organizationId,
    call: (items) => to.organizations.add({ organizations: items }),
  });
  return organizations.map(({ organizationId }) => organizationId);
}

const organizationIdOf = (row: Row): string | undefined =>
  textOf(row.organizationId) ?? textOf(row.id);

type Folder = Row & { folderId: string };

/** Imports the tree of folders, and returns the folders' ids with parents before their children. */
export async function importFolders(ctx: ImportContext, organizationId: string): Promise<string[]> {
  const folders: Folder[] = [];
  for await (const folder of foldersOf(ctx, { organizationId })) folders.push(folder);
  for (const part of partsOf(folders, PER_CALL)) {
    await ctx.writer.send('folders', part, {
      idOf: ({ folderId }) => folderId,
      call: (items) => ctx.to.folders.add({ organizationId, folders: items }),
    });
  }
  return folders.map(({ folderId }) => folderId);
}

async function* foldersOf(
  ctx: ImportContext,
  place: { organizationId: string; folderId?: string },
): AsyncGenerator<Folder> {
  const path = '/v2/organizations/folders/get';
  for await (const { rows } of ctx.from.pages(path, { ...place, maxDepth: MAX_DEPTH })) {
    for (const row of rows)
      yield* treeOf(ctx, place, { row, isAsked: row.folderId === place.folderId });
  }
}

/** A folder and all below it. Those below the last level of the answer are asked for. */
async function* treeOf(
  ctx: ImportContext,
  place: { organizationId: string },
  { row, isAsked, parent }: { row: Row; isAsked: boolean; parent?: string },
): AsyncGenerator<Folder> {
  const folderId = textOf(row.folderId);
  if (folderId === undefined) return;
  const parentFolderId = parent ?? textOf(row.parentFolderId);
  if (!isAsked) {
    yield { ...without(row, FOLDER_FIELDS), folderId, ...(parentFolderId && { parentFolderId }) };
  }
  if (row.subfolders === undefined && !isAsked) {
    yield* foldersOf(ctx, { ...place, folderId });
    return;
  }
  for (const below of rowsOf(row.subfolders)) {
    yield* treeOf(ctx, place, { row: below, isAsked: false, parent: folderId });
  }
}

/** Documents do not say their folder, so each folder is asked for its own, and the rest comes last. */
export async function importDocuments(
  ctx: ImportContext,
  organizationId: string,
  folderIds: string[],
): Promise<void> {
  const placed = new Set<string>();
  // Folders below others come first, in case a folder shows the documents of those below it.
  for (const folderId of [...folderIds.toReversed(), undefined]) {
    const place = { organizationId, ...(folderId !== undefined && { folderId }) };
    for await (const { rows } of ctx.from.pages('/v2/organizations/documents/get', place)) {
      const documents = rows.flatMap((row) => {
        const documentId = documentIdOf(row);
        if (documentId === undefined || placed.has(documentId)) return [];
        placed.add(documentId);
        return [{ ...without(row, DOCUMENT_FIELDS), documentId }];
      });
      await ctx.writer.send('documents', documents, {
        idOf: ({ documentId }) => documentId,
        call: (items) => ctx.to.documents.add({ ...place, documents: items }),
      });
    }
  }
}

/** The people of the organization, with all their fields. */
export async function importUsers(
  { to, writer }: ImportContext,
  organizationId: string,
  rows: Row[],
): Promise<void> {
  const users = rows.flatMap((row) => userOf(row) ?? []);
  await writer.send('users', users, {
    idOf: ({ userId }) => userId,
    call: (items) => to.users.add({ organizationId, users: items }),
  });
}
