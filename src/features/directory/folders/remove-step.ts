import {
  empty,
  type Queryable,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { JOB_STEP } from '../documents/deletion-size.ts';
import { documentColumns } from '../documents/present.ts';
import {
  only,
  type PlacedDocument,
  removeDocuments,
  type TenantWriter,
} from '../documents/remove-documents.ts';
import { folderColumns, subtreeOf } from './folders.ts';
import { type PlacedFolder, removeFolders } from './remove-folders.ts';

/** What a job clears away: a folder and all below it, or everything in an organization. */
export interface Scope {
  organizationId: string;
  folderId?: string;
}

/**
 * Comes before the steps. Of what was added a moment ago PostgreSQL has no statistics, and would
 * look at every document of the tenant for each that a step names.
 */
export async function prepareRemoval(db: Queryable): Promise<void> {
  await db.query(sql`ANALYZE documents /* all tenants, background */`);
}

/**
 * One step of a large deletion, from the leaves of the tree upwards: some documents, and, once no
 * more are left in them, some folders without subfolders. Events go with their rows, so a crash
 * between two steps repeats and loses nothing.
 *
 * @returns false when there was nothing left to remove
 */
export async function removeStep(
  ctx: TenantWriter,
  tx: Transaction,
  scope: Scope,
): Promise<boolean> {
  const { tenantId } = ctx;
  const { organizationId } = scope;
  // Locked first, so that nothing is put into them while they are looked at.
  const leaves = await lockLeaves(tx, tenantId, scope);
  const leafIds = leaves.map((row) => row.folderId);
  const { documents, areAll } = await lockDocuments(tx, tenantId, scope, leafIds);
  const documentIds = documents.map((row) => row.documentId);
  const folderIds = [...leafIds, ...documents.flatMap((row) => row.folderId ?? [])];
  const chains = await loadFolderChains(tx, tenantId, organizationId, folderIds);
  const chainsIn = () => chains;
  await removeDocuments(ctx, tx, documents, { which: only(organizationId, documentIds), chainsIn });
  if (areAll) {
    await removeFolders(ctx, tx, leaves, { which: only(organizationId, leafIds), chainsIn });
  }
  return !areAll || leaves.length > 0;
}

function lockLeaves(tx: Transaction, tenantId: string, { organizationId, folderId }: Scope) {
  const inScope =
    folderId === undefined
      ? empty
      : sql`AND folder_id = ANY(${subtreeOf(tenantId, organizationId, [folderId])})`;
  return tx.query<PlacedFolder>(sql`
    SELECT organization_id AS "organizationId", ${folderColumns} FROM folders leaf
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} ${inScope}
      AND NOT EXISTS (
        SELECT 1 FROM folders below
        WHERE below.tenant_id = ${tenantId} AND below.organization_id = ${organizationId}
          AND below.parent_folder_id = leaf.folder_id
        OFFSET 0)
    ORDER BY folder_id LIMIT ${JOB_STEP} FOR UPDATE OF leaf`);
}

/**
 * Chosen in any order, which is quick; then locked in the order of ids. One that was moved out in
 * between is no longer in scope.
 */
async function lockDocuments(
  tx: Transaction,
  tenantId: string,
  { organizationId, folderId }: Scope,
  leafIds: string[],
): Promise<{ documents: PlacedDocument[]; areAll: boolean }> {
  const inScope = folderId === undefined ? empty : sql`AND folder_id = ANY(${leafIds})`;
  const chosen = await tx.query<{ documentId: string }>(sql`
    SELECT document_id AS "documentId" FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} ${inScope}
    LIMIT ${JOB_STEP}`);
  const documents = await tx.query<PlacedDocument>(sql`
    SELECT organization_id AS "organizationId", ${documentColumns} FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id IN (SELECT unnest(${chosen.map((row) => row.documentId)}::text[])) ${inScope}
    ORDER BY document_id FOR UPDATE`);
  return { documents, areAll: chosen.length < JOB_STEP };
}
