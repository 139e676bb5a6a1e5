import { failed, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type ChainLink, loadFolderChains } from '../../access/folder-chains.ts';
import { documentColumns } from '../documents/present.ts';
import { folderColumns, lockFolderTree, subtreeOf } from '../folders/folders.ts';
import type { DeleteFoldersInput } from '../folders/schema.ts';
import { foldersBeingDeleted } from '../folders/target-folders.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { deleteFolderJob } from './deletion-jobs.ts';
import { type DeletionSize, splitBySize, startedMessage, UNDER_WAY } from './deletion-size.ts';
import {
  type DeletionContext,
  idsIn,
  type PlacedDocument,
  type PlacedFolder,
  removeDocuments,
  removeFolders,
} from './removal.ts';

/**
 * Deletes folders with all folders and documents below them, and all grants on them. Small
 * deletions are part of this transaction. A job performs large ones, and from now on nothing can be
 * added to their folders. An unknown folder fails in its outcome.
 */
export function deleteFolders(
  ctx: DeletionContext,
  { organizationId, folderIds }: DeleteFoldersInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await lockFolderTree(tx, tenantId, organizationId);
    await requireOrganization(tx, tenantId, organizationId);
    const chains = await loadFolderChains(tx, tenantId, organizationId, folderIds);
    const beingDeleted = foldersBeingDeleted(chains);
    const tops = new Map([...chains.keys()].map((id) => [id, topOf(id, chains)]));
    const roots = [...new Set(tops.values())].filter((id) => !beingDeleted.has(id)).sort();
    const { now, later } = splitBySize(await loadSizes(tx, ctx, organizationId, roots));
    await deleteLater(ctx, tx, organizationId, later);
    const ids = now.map(({ id }) => id);
    if (ids.length > 0) await deleteAtOnce(ctx, tx, organizationId, ids);
    const started = new Map(later.map((size) => [size.id, startedMessage(size)]));
    return outcomeMap(
      folderIds.map((id) => {
        const top = tops.get(id);
        if (top === undefined) return failed(id, 'Folder does not exist.');
        if (beingDeleted.has(id)) return succeeded(id, UNDER_WAY);
        return succeeded(id, started.get(top) ?? 'Folder deleted.');
      }),
    );
  });
}

/** Returns the topmost folder of the batch above a folder, or the folder itself. */
function topOf(folderId: string, chains: Map<string, ChainLink[]>): string {
  const inBatch = chains.get(folderId)?.filter((link) => chains.has(link.folderId)) ?? [];
  return inBatch.at(-1)?.folderId ?? folderId;
}

/**
 * Counts the folders and documents of each folder, at all levels. OFFSET 0 looks up each level by the
 * index, as in `loadFolderChains`.
 */
async function loadSizes(
  tx: Transaction,
  { tenantId }: KeyContext,
  organizationId: string,
  folderIds: string[],
): Promise<DeletionSize[]> {
  if (folderIds.length === 0) return [];
  return tx.query<DeletionSize>(sql`
    WITH RECURSIVE subtree AS (
      SELECT folder_id AS top_id, folder_id FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ANY(${folderIds})
      UNION ALL
      SELECT subtree.top_id, below.folder_id FROM subtree CROSS JOIN LATERAL (
        SELECT folder_id FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND parent_folder_id = subtree.folder_id
        OFFSET 0
      ) AS below
    )
    SELECT top_id AS id, count(*)::int AS folders, sum((
        SELECT count(*) FROM documents
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND folder_id = subtree.folder_id))::int AS documents
    FROM subtree GROUP BY top_id ORDER BY top_id`);
}

async function deleteLater(
  { jobs, tenantId }: KeyContext,
  tx: Transaction,
  organizationId: string,
  sizes: DeletionSize[],
): Promise<void> {
  if (sizes.length === 0) return;
  const ids = sizes.map(({ id }) => id);
  await tx.query(sql`
    UPDATE folders SET is_being_deleted = true
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${ids})`);
  const payloads = ids.map((folderId) => ({ tenantId, organizationId, folderId, isMarked: true }));
  await jobs.add(tx, deleteFolderJob, payloads);
}

async function deleteAtOnce(
  ctx: DeletionContext,
  tx: Transaction,
  organizationId: string,
  folderIds: string[],
): Promise<void> {
  const { tenantId } = ctx;
  // The folders are locked first, so that no document or grant can be added to them.
  const folders = await tx.query<PlacedFolder>(sql`
    SELECT organization_id AS "organizationId", ${folderColumns} FROM folders
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${subtreeOf(tenantId, organizationId, folderIds)})
    ORDER BY folder_id FOR UPDATE`);
  const ids = folders.map((row) => row.folderId);
  const documents = await tx.query<PlacedDocument>(sql`
    SELECT organization_id AS "organizationId", ${documentColumns} FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${ids})
    ORDER BY document_id FOR UPDATE`);
  const chains = await loadFolderChains(tx, tenantId, organizationId, ids);
  const documentIds = documents.map((row) => row.documentId);
  const chainsIn = () => chains;
  await removeDocuments(ctx, tx, documents, {
    which: idsIn(organizationId, documentIds),
    chainsIn,
  });
  await removeFolders(ctx, tx, folders, { which: idsIn(organizationId, ids), chainsIn });
}
