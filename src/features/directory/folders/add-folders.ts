import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, requireSmallMetadata } from '../../../api/fields.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { loadFolderChains, MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';
import { findOrCreateOrganization } from '../organizations/organizations.ts';
import {
  type FolderRow,
  folderColumns,
  folderEvent,
  lockFolderTree,
  presentFolder,
} from './folders.ts';
import { type AddFoldersInput, FOLDER_FIELDS, type FolderInput } from './schema.ts';
import { foldersBeingDeleted } from './target-folders.ts';

/**
 * Adds folders (4.17). A parent may be in the same batch, before or after its children. The outcome
 * of a refused folder gives the reason, and the others are added.
 */
export function addFolders(
  ctx: KeyContext,
  { organizationId, createOrganization, folders }: AddFoldersInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  const batch = mergeItems(
    folders,
    (folder) => folder.folderId,
    (folder) => requireSmallMetadata(folder.folderId, metadataOf(folder, FOLDER_FIELDS), 'folders'),
  );
  return ctx.db.transaction(async (tx) => {
    const ids = batch.flatMap(({ folderId, parentFolderId }) => [folderId, parentFolderId]);
    const known = ids.filter((folderId) => folderId != null);
    const [, , chains] = await pipeline([
      lockFolderTree(tx, tenantId, organizationId),
      findOrCreateOrganization(ctx, tx, organizationId, createOrganization),
      loadFolderChains(tx, tenantId, organizationId, known),
    ]);
    const beingDeleted = foldersBeingDeleted(chains);
    const depths = new Map([...chains].map(([folderId, chain]) => [folderId, chain.length]));
    const { addable, refusals } = plan(batch, depths, beingDeleted);
    const added = await insertFolders(ctx, tx, organizationId, addable);
    const addedIds = new Set(added.map((row) => row.folderId));
    return outcomeMap(
      batch.map(({ folderId }) =>
        addedIds.has(folderId)
          ? succeeded(folderId, 'Folder added.')
          : failed(folderId, refusals.get(folderId) ?? alreadyExists),
      ),
    );
  });
}

interface Plan {
  /** The folders that can be added, parents before children. */
  addable: FolderInput[];
  /** The reasons of refusals, by folder id. */
  refusals: Map<string, string>;
}

/**
 * Walks the batch from the top down, so that each folder is checked after its parent. `existing`
 * has the depths of existing folders; `beingDeleted` folders accept no children.
 */
function plan(
  batch: FolderInput[],
  existing: ReadonlyMap<string, number>,
  beingDeleted: ReadonlySet<string>,
): Plan {
  const addable: FolderInput[] = [];
  // Folders that the walk does not reach are below themselves.
  const refusals = new Map(batch.map(({ folderId }) => [folderId, circular]));
  const depths = new Map(existing);
  const children = Map.groupBy(batch, (folder) => folder.parentFolderId);
  const waitsForParent = ({ parentFolderId: parent }: FolderInput) =>
    parent != null && refusals.has(parent) && !existing.has(parent);
  const queue = batch.filter((folder) => !waitsForParent(folder));
  for (const folder of queue) {
    const { folderId, parentFolderId } = folder;
    const depthAbove = parentFolderId == null ? 0 : depths.get(parentFolderId);
    if (existing.has(folderId)) refusals.set(folderId, alreadyExists);
    else if (depthAbove === undefined) refusals.set(folderId, noParent);
    else if (beingDeleted.has(parentFolderId ?? '')) refusals.set(folderId, leavingParent);
    else if (depthAbove >= MAX_FOLDER_DEPTH) refusals.set(folderId, tooDeep);
    else {
      refusals.delete(folderId);
      depths.set(folderId, depthAbove + 1);
      addable.push(folder);
    }
    // A child of an existing folder is in the queue from the start.
    if (!existing.has(folderId)) queue.push(...(children.get(folderId) ?? []));
  }
  return { addable, refusals };
}

const alreadyExists = 'Folder already exists.';
const noParent = 'Parent folder does not exist.';
const leavingParent = 'Parent folder is being deleted.';
const tooDeep = `Folders can be nested ${MAX_FOLDER_DEPTH} deep at most.`;
const circular = 'A folder cannot stand below itself.';

/**
 * Inserts folders and publishes `folder.add`. The tree is read again, since a folder may be below
 * others of the same batch.
 *
 * @returns the folders that did not exist yet
 */
async function insertFolders(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  folders: FolderInput[],
): Promise<FolderRow[]> {
  if (folders.length === 0) return [];
  const { tenantId } = ctx;
  const insertion = insertionOf(tenantId, organizationId, folders);
  const inserting = retryOnViolation(tx.query<FolderRow>(insertion), [
    'folders_tenant_id_organization_id_fkey',
    'folders_tenant_id_organization_id_parent_folder_id_fkey',
  ]);
  const ids = folders.map((folder) => folder.folderId);
  const [added, chains] = await pipeline([
    inserting,
    loadFolderChains(tx, tenantId, organizationId, ids),
  ]);
  const events = added.values().map((row) => {
    const folder = presentFolder(row, chains.get(row.folderId) ?? []);
    return folderEvent('folder.add', organizationId, folder);
  });
  await ctx.events.append(tx, tenantId, events);
  return added;
}

/** Inserting in the order of ids prevents deadlocks between batches with the same folders. */
function insertionOf(tenantId: string, organizationId: string, folders: FolderInput[]): Sql {
  const rows = folders.map((folder) => ({
    folder_id: folder.folderId,
    folder_name: folder.folderName,
    parent_folder_id: folder.parentFolderId,
    access_type: folder.accessType,
    metadata: metadataOf(folder, FOLDER_FIELDS),
  }));
  return sql`
    INSERT INTO folders
      (tenant_id, organization_id, folder_id, folder_name, parent_folder_id, access_type, metadata)
    SELECT ${tenantId}, ${organizationId}, folder_id, folder_name, parent_folder_id, access_type, metadata
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS folder(
      folder_id text, folder_name text, parent_folder_id text, access_type text, metadata jsonb)
    ORDER BY folder_id
    ON CONFLICT DO NOTHING RETURNING ${folderColumns}`;
}
