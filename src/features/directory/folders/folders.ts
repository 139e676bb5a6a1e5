import type { AccessType } from '../../../api/fields.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { effectiveType } from '../../access/access.ts';
import type { ChainLink } from '../../access/folder-chains.ts';
import type { PresentedFolder } from './schema.ts';

export interface FolderRow {
  folderId: string;
  folderName: string | null;
  parentFolderId: string | null;
  /** Null means inherited. */
  accessType: AccessType | null;
  metadata: Record<string, unknown>;
}

export const folderColumns: Sql = sql`
  folder_id AS "folderId", folder_name AS "folderName", parent_folder_id AS "parentFolderId",
  access_type AS "accessType", metadata`;

/**
 * Presents a folder as read operations return it. `chain` has the folder itself and those above it.
 */
export const presentFolder = (row: FolderRow, chain: readonly ChainLink[]): PresentedFolder => ({
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
export function folderEvent(
  type: 'folder.add' | 'folder.update' | 'folder.delete',
  organizationId: string,
  folder: PresentedFolder,
  previous?: PresentedFolder,
): NewEvent {
  return {
    type,
    organizationId,
    channels: [`organization:${organizationId}`, `folder:${folder.folderId}`],
    data: { ...folder, ...(previous && { previous }) },
  };
}

/** Keeps the locks of folder trees apart from other advisory locks with two numbers. */
const TREE_LOCK = 7_241_995;

/**
 * Locks the shape of an organization's folder tree until the transaction ends. The lock is taken
 * before the tree is read, since two moves that are valid by themselves could together create a
 * cycle.
 */
export async function lockFolderTree(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
): Promise<void> {
  const name = JSON.stringify([tenantId, organizationId]);
  await tx.query(sql`SELECT pg_advisory_xact_lock(${TREE_LOCK}, hashtext(${name}))`);
}

/**
 * SQL for an array of the ids of these folders and of all folders below them. The array and OFFSET
 * 0 make PostgreSQL use indexes even if it underestimates the size of an organization.
 */
export const subtreeOf = (
  tenantId: string,
  organizationId: string,
  folderIds: string[],
): Sql => sql`
  ARRAY(WITH RECURSIVE subtree AS (
    SELECT folder_id FROM folders
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${folderIds})
    UNION
    SELECT below.folder_id FROM subtree CROSS JOIN LATERAL (
      SELECT folder_id FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND parent_folder_id = subtree.folder_id
      OFFSET 0
    ) AS below
  ) SELECT folder_id FROM subtree)`;
