import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type FolderRow, folderEvent, presentFolder } from '../folders/folders.ts';
import type { Removal, TenantWriter } from './remove-documents.ts';

export interface PlacedFolder extends FolderRow {
  organizationId: string;
}

/**
 * Deletes folders with the grants on them, and publishes `folder.delete`. The caller has locked
 * them FOR UPDATE, removed their documents, and passes the folders below them too.
 */
export async function removeFolders(
  { events, tenantId, dependents }: Omit<TenantWriter, 'db'>,
  tx: Transaction,
  folders: PlacedFolder[],
  { which, chainsIn }: Removal,
): Promise<void> {
  if (folders.length === 0) return;
  for (const deletionOf of dependents.folder) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM folders WHERE tenant_id = ${tenantId} AND ${which(sql`folder_id`)}`);
  const deletions = folders.values().map(({ organizationId, ...row }) => {
    const chain = chainsIn(organizationId).get(row.folderId) ?? [];
    return folderEvent('folder.delete', organizationId, presentFolder(row, chain));
  });
  await events.append(tx, tenantId, deletions);
}
