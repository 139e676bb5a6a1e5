import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { Removal, TenantWriter } from '../documents/remove-documents.ts';
import { type FolderRow, folderEvent, presentFolder } from './folders.ts';

export interface PlacedFolder extends FolderRow {
  organizationId: string;
}

/**
 * Deletes folders with the grants on them, and publishes `folder.delete`. The caller has locked
 * them FOR UPDATE, removed their documents, and passes the folders below them too.
 */
export async function removeFolders(
  { events, tenantId }: Pick<TenantWriter, 'events' | 'tenantId'>,
  tx: Transaction,
  folders: PlacedFolder[],
  { which, chainsIn }: Removal,
): Promise<void> {
  if (folders.length === 0) return;
  await tx.query(sql`
    DELETE FROM grants
    WHERE tenant_id = ${tenantId} AND resource_type = 'folder' AND ${which(sql`resource_id`)}`);
  await tx.query(sql`
    DELETE FROM folders WHERE tenant_id = ${tenantId} AND ${which(sql`folder_id`)}`);
  const deletions = folders.values().map(({ organizationId, ...row }) => {
    const chain = chainsIn(organizationId).get(row.folderId) ?? [];
    return folderEvent('folder.delete', organizationId, presentFolder(row, chain));
  });
  await events.append(tx, tenantId, deletions);
}
