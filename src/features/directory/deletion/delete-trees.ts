import { outcomesOf } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { type ChainLink, loadFolderChains } from '../../access/folder-chains.ts';
import { foldersBeingDeleted, lockFolderTree, withSubtree } from '../folders/folders.ts';
import type { DeleteFoldersInput } from '../folders/schema.ts';
import {
  ORGANIZATIONS,
  type OrganizationRow,
  requireOrganization,
} from '../organizations/organizations.ts';
import { type DeletionContext, deleteLockedRows, lockContent } from './delete-locked-rows.ts';
import { type DeletionRef, deleteFolderJob, deleteOrganizationJob } from './deletion-jobs.ts';

/** The most documents and folders that one transaction deletes; a job deletes larger sets. */
const MAX_AT_ONCE = 5_000;

const IN_PROGRESS = 'Deletion is already in progress.';

/**
 * Deletes organizations with all their data. Small organizations are deleted in this transaction. Large ones
 * are marked, so that nothing can be added to them, and a job deletes them. The outcome of an unknown
 * organization is a failure.
 */
export function deleteOrganizations(ctx: DeletionContext, organizationIds: string[]) {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    // The lock keeps others from adding anything to the organizations.
    const locked = await tx.query<OrganizationRow & { isBeingDeleted: boolean }>(sql`
      SELECT ${ORGANIZATIONS.columns}, is_being_deleted AS "isBeingDeleted" FROM organizations
      WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})
      ORDER BY organization_id FOR UPDATE`);
    const lockedIds = locked.map(ORGANIZATIONS.idOf);
    const beingDeleted = new Set(
      locked.filter((row) => row.isBeingDeleted).map(ORGANIZATIONS.idOf),
    );
    const ids = lockedIds.filter((id) => !beingDeleted.has(id));
    const sizes = await loadOrganizationSizes(tx, tenantId, ids);
    const { smallIds, largeIds, messages } = splitBySize(sizes);
    await deleteInBackground(ctx, tx, deleteOrganizationJob, {
      refs: largeIds.map((organizationId) => ({ tenantId, organizationId })),
      mark: sql`UPDATE organizations SET is_being_deleted = true
        WHERE tenant_id = ${tenantId} AND organization_id = ANY(${largeIds})`,
    });
    if (smallIds.length > 0) {
      const organizations = locked.filter((row) => smallIds.includes(row.organizationId));
      const content = await lockContent(tx, tenantId, { organizationIds: smallIds });
      await deleteLockedRows(ctx, tx, { organizationIds: smallIds }, { ...content, organizations });
    }
    const messageOf = (id: string) =>
      beingDeleted.has(id) ? IN_PROGRESS : (messages.get(id) ?? 'Organization deleted.');
    return outcomesOf(organizationIds, lockedIds, messageOf, 'Organization does not exist.');
  });
}

/**
 * Deletes folders with all folders and documents below them, and all grants on them. Small folders are
 * deleted in this transaction. Large ones are marked, so that nothing can be added to them, and a job deletes
 * them. The outcome of an unknown folder is a failure.
 */
export function deleteFolders(
  ctx: DeletionContext,
  { organizationId, folderIds }: DeleteFoldersInput,
) {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await lockFolderTree(tx, tenantId, organizationId);
    await requireOrganization(tx, tenantId, organizationId);
    const chains = await loadFolderChains(tx, tenantId, organizationId, folderIds);
    const beingDeleted = foldersBeingDeleted(chains);
    const tops = new Map([...chains.keys()].map((id) => [id, topmostInBatch(id, chains)]));
    const ids = [...new Set(tops.values())].filter((id) => !beingDeleted.has(id)).sort();
    const sizes = await loadFolderSizes(tx, ctx, organizationId, ids);
    const { smallIds, largeIds, messages } = splitBySize(sizes);
    await deleteInBackground(ctx, tx, deleteFolderJob, {
      refs: largeIds.map((folderId) => ({ tenantId, organizationId, folderId })),
      mark: sql`UPDATE folders SET is_being_deleted = true
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND folder_id = ANY(${largeIds})`,
    });
    if (smallIds.length > 0) {
      const scope = { organizationIds: [organizationId], folderIds: smallIds };
      await deleteLockedRows(ctx, tx, scope, await lockContent(tx, tenantId, scope));
    }
    const messageOf = (id: string) =>
      beingDeleted.has(id) ? IN_PROGRESS : (messages.get(tops.get(id) ?? '') ?? 'Folder deleted.');
    return outcomesOf(folderIds, tops.keys(), messageOf, 'Folder does not exist.');
  });
}

/** Returns the topmost folder of the batch above a folder, or the folder itself. */
function topmostInBatch(folderId: string, chains: Map<string, ChainLink[]>): string {
  const inBatch = chains.get(folderId)?.filter((link) => chains.has(link.folderId)) ?? [];
  return inBatch.at(-1)?.folderId ?? folderId;
}

interface DeletionSize {
  id: string;
  documents: number;
  folders: number;
}

async function loadOrganizationSizes(tx: Transaction, tenantId: string, ids: string[]) {
  if (ids.length === 0) return [];
  return tx.query<DeletionSize>(sql`
    SELECT id,
      (SELECT count(*) FROM documents
       WHERE tenant_id = ${tenantId} AND organization_id = id)::int AS documents,
      (SELECT count(*) FROM folders
       WHERE tenant_id = ${tenantId} AND organization_id = id)::int AS folders
    FROM unnest(${ids}::text[]) AS organization(id)`);
}

/** Counts the documents and folders at all levels below each folder, and the folder itself. */
async function loadFolderSizes(
  tx: Transaction,
  { tenantId }: KeyContext,
  organizationId: string,
  folderIds: string[],
): Promise<DeletionSize[]> {
  if (folderIds.length === 0) return [];
  const place = sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;
  return tx.query<DeletionSize>(sql`
    ${withSubtree(place, folderIds)}
    SELECT top_id AS id, count(*)::int AS folders, sum((
        SELECT count(*) FROM documents
        WHERE ${place} AND folder_id = subtree.folder_id))::int AS documents
    FROM subtree GROUP BY top_id ORDER BY top_id`);
}

/** Divides deletions into small ones, which run now, and large ones, each of which has a message for the caller. */
function splitBySize(sizes: DeletionSize[]) {
  let total = 0;
  const smallIds: string[] = [];
  const messages = new Map<string, string>();
  for (const { id, documents, folders } of sizes) {
    if (total + documents + folders <= MAX_AT_ONCE) {
      total += documents + folders;
      smallIds.push(id);
    } else {
      const content = documents > 0 ? `${documents} documents` : `${folders} folders`;
      messages.set(id, `Deletion started; ${content} are being removed in the background.`);
    }
  }
  return { smallIds, largeIds: [...messages.keys()], messages };
}

/** Marks resources as being deleted, so that nothing can be added to them, and adds a job for each. */
async function deleteInBackground(
  { jobs }: KeyContext,
  tx: Transaction,
  job: Job<DeletionRef>,
  { refs, mark }: { refs: DeletionRef[]; mark: Sql },
): Promise<void> {
  if (refs.length === 0) return;
  await tx.query(mark);
  // Processes of release 0.2 mark the resources again unless `isMarked` is set.
  await jobs.add(
    tx,
    job,
    refs.map((ref) => ({ ...ref, isMarked: true })),
  );
}
