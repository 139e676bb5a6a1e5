import {
  empty,
  type Queryable,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { documentColumns } from '../documents/present.ts';
import { folderColumns, subtreeOf } from '../folders/folders.ts';
import {
  idsIn,
  type PlacedDocument,
  type PlacedFolder,
  removeDocuments,
  removeFolders,
  type TenantWriter,
} from './removal.ts';

/** The documents or folders that a job deletes in one transaction. */
const JOB_STEP = 1_000;

/** The scope of a deletion job: a folder and everything below it, or a whole organization. */
export interface Scope {
  organizationId: string;
  folderId?: string;
}

/**
 * Updates statistics before the first step. Without them PostgreSQL may read every document of the
 * tenant for each one that a step deletes.
 */
export async function updateStatistics(db: Queryable): Promise<void> {
  await db.query(sql`ANALYZE documents /* all tenants, background */`);
}

/**
 * Performs one step of a large deletion, from the leaves of the tree upwards: deletes some
 * documents or, once their folders are empty, some folders without subfolders. Events are committed
 * with their rows, so the job can be repeated after a crash.
 *
 * @returns false when nothing is left to delete
 */
export async function removeStep(
  ctx: TenantWriter,
  tx: Transaction,
  scope: Scope,
): Promise<boolean> {
  const { tenantId } = ctx;
  const { organizationId } = scope;
  // The folders are locked first, so that nothing can be added to them while they are read.
  const leaves = await lockLeaves(tx, tenantId, scope);
  const leafIds = leaves.map((row) => row.folderId);
  const { documents, areAll } = await lockDocuments(tx, tenantId, scope, leafIds);
  const documentIds = documents.map((row) => row.documentId);
  const folderIds = [...leafIds, ...documents.flatMap((row) => row.folderId ?? [])];
  const chains = await loadFolderChains(tx, tenantId, organizationId, folderIds);
  const chainsIn = () => chains;
  await removeDocuments(ctx, tx, documents, {
    which: idsIn(organizationId, documentIds),
    chainsIn,
  });
  if (areAll) {
    await removeFolders(ctx, tx, leaves, { which: idsIn(organizationId, leafIds), chainsIn });
  }
  return !areAll || leaves.length > 0;
}

/** OFFSET 0 looks below each folder by the index, and stops as soon as there are enough leaves. */
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
 * Rows are chosen in any order, which is fast, and then locked in the order of ids. A row that was
 * moved out of the scope in between is skipped.
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
