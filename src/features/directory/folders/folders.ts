import type { KeyContext } from '../../../api/context.ts';
import type { AccessType } from '../../../api/fields.ts';
import {
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import { namedRows } from '../../../platform/database/named-rows.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { effectiveType } from '../../access/access.ts';
import { type ChainLink, loadFolderChains, type StoredLink } from '../../access/folder-chains.ts';
import { placeNotFound } from '../../access/places.ts';
import { requireReadableOrganization } from '../organizations/organizations.ts';
import { resourceKind } from '../resources.ts';
import { type FolderInput, folder, type PresentedFolder } from './schema.ts';

export interface FolderRow {
  organizationId: string;
  folderId: string;
  folderName: string | null;
  parentFolderId: string | null;
  /** Null means inherited. */
  accessType: AccessType | null;
  metadata: Record<string, unknown>;
}

export const FOLDERS = resourceKind<FolderRow, FolderInput>({
  noun: 'Folder',
  table: 'folders',
  id: 'folderId',
  input: folder,
  columns: {
    organizationId: 'text',
    folderId: 'text',
    folderName: 'text',
    parentFolderId: 'text',
    accessType: 'text',
    metadata: 'jsonb',
  },
  references: [
    'folders_tenant_id_organization_id_fkey',
    'folders_tenant_id_organization_id_parent_folder_id_fkey',
  ],
});

/** Presents a folder as read operations return it. `chain` has the folder itself and those above it. */
export const presentFolder = (
  row: FolderRow,
  chain: readonly ChainLink[] = [],
): PresentedFolder => ({
  ...row.metadata,
  folderId: row.folderId,
  folderName: row.folderName ?? row.folderId,
  parentFolderId: row.parentFolderId,
  accessType: effectiveType(chain),
  ancestors: chain
    .slice(1)
    .map((link) => link.folderId)
    .reverse(),
});

/** `previous` is the whole folder before the change, so that a move shows in its parentFolderId. */
export const folderEvent = (
  type: 'folder.add' | 'folder.update' | 'folder.delete',
  row: FolderRow,
  chains: ReadonlyMap<string, readonly ChainLink[]>,
  previous?: PresentedFolder,
): NewEvent => ({
  type,
  organizationId: row.organizationId,
  channels: [`organization:${row.organizationId}`, `folder:${row.folderId}`],
  data: { ...presentFolder(row, chains.get(row.folderId)), ...(previous && { previous }) },
});

/** The first number of the advisory locks on folder trees, which keeps them apart from other locks. */
const TREE_LOCK = 7_241_995;

/**
 * Locks the shape of an organization's folder tree until the transaction ends. Call this before the tree
 * is read: two concurrent moves, each valid by itself, could otherwise create a circle.
 */
export async function lockFolderTree(tx: Transaction, tenantId: string, organizationId: string) {
  const name = JSON.stringify([tenantId, organizationId]);
  await tx.query(sql`SELECT pg_advisory_xact_lock(${TREE_LOCK}, hashtext(${name}))`);
}

/**
 * Returns the ids of the folders that a background job is deleting, directly or with a folder above them.
 * Callers refuse additions to them, which would be deleted, too.
 */
export function foldersBeingDeleted(chains: ReadonlyMap<string, readonly StoredLink[]>) {
  const beingDeleted = [...chains].filter(([, chain]) => chain.some((link) => link.isBeingDeleted));
  return new Set(beingDeleted.map(([folderId]) => folderId));
}

/**
 * SQL for the beginning of a statement, which defines `subtree`: these folders, and all folders below
 * them. `top_id` is the given folder from which a folder was reached, and `distance` the number of
 * levels between the two. OFFSET 0 makes PostgreSQL look up each level by the index, even if it
 * underestimates the size of an organization.
 *
 * @param where the condition for the folders of the organization
 * @param stepCondition the condition for a step from a folder of `subtree` to a folder `below` it
 */
export const withSubtree = (where: Sql, folderIds: string[], stepCondition = sql`true`): Sql => sql`
  WITH RECURSIVE subtree AS (
    SELECT folder_id AS top_id, folder_id, 0 AS distance
    FROM ${namedRows({ table: sql`folders`, where, idColumn: sql`folder_id`, ids: folderIds })} f
    UNION ALL
    SELECT subtree.top_id, below.folder_id, subtree.distance + 1
    FROM subtree CROSS JOIN LATERAL (
      SELECT folder_id FROM folders
      WHERE ${where} AND parent_folder_id = subtree.folder_id
      OFFSET 0
    ) AS below
    WHERE ${stepCondition}
  )`;

/**
 * Requires that the organization exists, and the folder if one is named. Both may be read while a job deletes them.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found)
 */
export async function requirePlace(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  organizationId: string,
  folderId: string | undefined,
): Promise<void> {
  await requireReadableOrganization(db, tenantId, organizationId);
  if (folderId !== undefined) await requireFolder(db, tenantId, organizationId, folderId);
}

/**
 * Returns the chain of a folder as a map with one entry.
 *
 * @throws INVALID_ARGUMENT (folder_not_found)
 */
export async function requireFolder(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  folderId: string,
): Promise<Map<string, StoredLink[]>> {
  const chains = await loadFolderChains(db, tenantId, organizationId, [folderId]);
  if (!chains.has(folderId)) throw placeNotFound('folder');
  return chains;
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
  const chains = await requireFolder(db, tenantId, organizationId, folderId);
  if (foldersBeingDeleted(chains).size === 0) return chains;
  throw invalidArgument('The folder is being deleted.', { reason: 'folder_not_found' });
}
