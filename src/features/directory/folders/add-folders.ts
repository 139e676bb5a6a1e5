import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { loadFolderChains, type StoredLink } from '../../access/folder-chains.ts';
import { findOrCreateOrganization } from '../organizations/organizations.ts';
import { FolderTree, PROBLEMS } from './folder-tree.ts';
import {
  FOLDERS,
  type FolderRow,
  folderEvent,
  foldersBeingDeleted,
  lockFolderTree,
} from './folders.ts';
import type { AddFoldersInput, FolderInput } from './schema.ts';

/**
 * Adds folders (specification 4.17). A parent may be in the same batch, before or after its children.
 * The outcome of a refused folder gives the reason, and the others are added.
 */
export function addFolders(
  ctx: KeyContext,
  { organizationId, createOrganization, folders }: AddFoldersInput,
) {
  const { tenantId } = ctx;
  const batch = FOLDERS.mergeBatch(folders);
  return ctx.db.transaction(async (tx) => {
    const ids = batch.flatMap(({ folderId, parentFolderId }) => [folderId, parentFolderId]);
    const namedIds = ids.filter((folderId) => folderId != null);
    const [, , chains] = await pipeline([
      lockFolderTree(tx, tenantId, organizationId),
      findOrCreateOrganization(ctx, tx, organizationId, createOrganization),
      loadFolderChains(tx, tenantId, organizationId, namedIds),
    ]);
    const { addable, refusals } = planAdditions(batch, chains);
    const added = await insertFolders(ctx, tx, organizationId, addable);
    return FOLDERS.additionOutcomes(batch, added, (id) => refusals.get(id) ?? ALREADY_EXISTS);
  });
}

interface AdditionPlan {
  /** The folders that can be added, parents before children. */
  addable: FolderInput[];
  /** The reasons of refusals, by folder id. */
  refusals: Map<string, string>;
}

/**
 * Walks the batch from the top down, so that each folder is checked after its parent.
 *
 * @param chains the chains of existing folders that the batch names
 */
function planAdditions(
  batch: FolderInput[],
  chains: ReadonlyMap<string, StoredLink[]>,
): AdditionPlan {
  const addable: FolderInput[] = [];
  // The walk reaches every folder except those in a circle. So each folder counts as circular until it is reached.
  const refusals = new Map(batch.map(({ folderId }) => [folderId, PROBLEMS.circular]));
  const tree = new FolderTree(chains);
  const beingDeleted = foldersBeingDeleted(chains);
  const children = Map.groupBy(batch, (folder) => folder.parentFolderId);
  const batchIds = new Set(batch.map(FOLDERS.idOf));
  const waitsForParent = ({ parentFolderId: parent }: FolderInput) =>
    parent != null && batchIds.has(parent) && !chains.has(parent);
  /** Places a folder in the tree. @returns why it cannot be added; undefined if it can */
  const addToTree = ({ folderId, parentFolderId }: FolderInput) => {
    if (chains.has(folderId)) return ALREADY_EXISTS;
    if (beingDeleted.has(parentFolderId ?? '')) return PROBLEMS.parentBeingDeleted;
    return tree.move(folderId, parentFolderId ?? null);
  };
  // The loop also visits the children that it appends.
  const queue = batch.filter((folder) => !waitsForParent(folder));
  for (const folder of queue) {
    const { folderId } = folder;
    const problem = addToTree(folder);
    if (problem === undefined) {
      refusals.delete(folderId);
      addable.push(folder);
    } else refusals.set(folderId, problem);
    // A child of an existing folder is in the queue from the start.
    if (!chains.has(folderId)) queue.push(...(children.get(folderId) ?? []));
  }
  return { addable, refusals };
}

const ALREADY_EXISTS = 'Folder already exists.';

/**
 * Inserts folders and publishes `folder.add`. The chains are read again, since a folder may be below
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
  const rows = folders.map((folder) => {
    const { folderId, folderName, parentFolderId, accessType } = folder;
    const metadata = FOLDERS.metadataOf(folder);
    return { organizationId, folderId, folderName, parentFolderId, accessType, metadata };
  });
  const [added, chains] = await pipeline([
    FOLDERS.insert(tx, tenantId, rows),
    loadFolderChains(tx, tenantId, organizationId, folders.map(FOLDERS.idOf)),
  ]);
  const events = added.values().map((row) => folderEvent('folder.add', row, chains));
  await ctx.events.append(tx, tenantId, events);
  return added;
}
