import type { Queryable } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { underWay } from '../../../platform/jobs/job.ts';
import { type ChainLink, folderNotFound, loadFolderChains } from '../../access/folder-chains.ts';
import { deleteFolderJob } from './delete-folder-job.ts';

/**
 * Returns the folders that a background job is deleting, directly or with a folder above them.
 * Anything added to them would be deleted too, so additions are refused. The id of a `wanted`
 * folder that is already deleted can be used again only after the job has ended.
 */
export async function foldersBeingDeleted(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  chains: ReadonlyMap<string, readonly ChainLink[]>,
  wanted: readonly string[] = [],
): Promise<Set<string>> {
  const above = [...chains.values()].flat().map((link) => link.folderId);
  const links = new Set([...above, ...wanted]);
  const payloads = [...links].map((folderId) => ({ tenantId, organizationId, folderId }));
  const found = await underWay(db, deleteFolderJob, payloads);
  const roots = new Set(found.map((payload) => payload.folderId));
  const beingDeleted = [...chains].filter(([, chain]) =>
    chain.some((link) => roots.has(link.folderId)),
  );
  return new Set([...beingDeleted.map(([folderId]) => folderId), ...roots]);
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
  const beingDeleted = await foldersBeingDeleted(db, tenantId, organizationId, chains);
  if (beingDeleted.size === 0) return chains;
  throw invalidArgument('The folder is being deleted.', { reason: 'folder_not_found' });
}
