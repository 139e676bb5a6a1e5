import type { Queryable } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { underWay } from '../../../platform/jobs/job.ts';
import { type ChainLink, folderNotFound, loadFolderChains } from '../../access/folder-chains.ts';
import { deleteFolderJob } from './delete-folder-job.ts';

/**
 * The folders among these that are being deleted in the background, or stand below one that is.
 * What were put into them now would be deleted with them, so they take nothing; and an id in
 * `wanted` whose folder is gone is free again only once the job is over.
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
  const doomed = [...chains].filter(([, chain]) => chain.some((link) => roots.has(link.folderId)));
  return new Set([...doomed.map(([folderId]) => folderId), ...roots]);
}

/**
 * The chain of the folder that something is put into, as a map for it alone; an empty map for the
 * root.
 *
 * @throws INVALID_ARGUMENT (folder_not_found), also while it is being deleted in the background
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
  const doomed = await foldersBeingDeleted(db, tenantId, organizationId, chains);
  if (doomed.size === 0) return chains;
  throw invalidArgument('The folder is being deleted.', { reason: 'folder_not_found' });
}
