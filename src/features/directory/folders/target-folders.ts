import type { Queryable } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import {
  type ChainLink,
  folderNotFound,
  loadFolderChains,
  type StoredLink,
} from '../../access/folder-chains.ts';

/**
 * Returns those of the folders that a background job is deleting, directly or with a folder above
 * them. Anything added to them would be deleted too, so additions are refused.
 */
export function foldersBeingDeleted(
  chains: ReadonlyMap<string, readonly StoredLink[]>,
): Set<string> {
  const beingDeleted = [...chains].filter(([, chain]) => chain.some((link) => link.isBeingDeleted));
  return new Set(beingDeleted.map(([folderId]) => folderId));
}

/**
 * Returns the chain of a target folder as a map with one entry; an empty map for the root.
 *
 * @throws INVALID_ARGUMENT (folder_not_found), also while the folder is being deleted in the
 * background
 */
export async function loadTargetChain(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  folderId: string | null,
): Promise<Map<string, ChainLink[]>> {
  if (folderId === null) return new Map();
  const chains = await loadFolderChains(db, tenantId, organizationId, [folderId]);
  if (!chains.has(folderId)) throw folderNotFound();
  if (foldersBeingDeleted(chains).size === 0) return chains;
  throw invalidArgument('The folder is being deleted.', { reason: 'folder_not_found' });
}
