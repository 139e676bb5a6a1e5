import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { lockFolderTree } from '../folders/folders.ts';
import { ORGANIZATIONS, type OrganizationRow } from '../organizations/organizations.ts';
import { deleteLockedRows, lockContent } from './delete-locked-rows.ts';

/** The most documents, and the most folders, that a job deletes in one transaction. */
const BATCH_SIZE = 1_000;

const DeletionRef = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  folderId: z.string().optional(),
});
/** The content that a job deletes: an organization, or one of its folders, with everything below it. */
export type DeletionRef = z.infer<typeof DeletionRef>;

const deletionJob = (name: string): Job<DeletionRef> => ({
  name,
  payload: DeletionRef,
  keyOf: ({ tenantId, organizationId, folderId }) =>
    JSON.stringify([tenantId, organizationId, ...(folderId === undefined ? [] : [folderId])]),
});

/**
 * These jobs delete an organization or a folder in the background: first its content from the leaves
 * upwards, and then the resource itself. Nothing can be added once the deletion has been requested.
 */
export const deleteOrganizationJob = deletionJob('organizations.delete');
export const deleteFolderJob = deletionJob('folders.delete');

export const deleteOrganizationHandler = (dependents: Dependents) =>
  deletionHandler(deleteOrganizationJob, dependents);
export const deleteFolderHandler = (dependents: Dependents) =>
  deletionHandler(deleteFolderJob, dependents);

/** Deletes in steps of one transaction each. After a crash, the job continues with the remaining rows. */
const deletionHandler = (job: Job<DeletionRef>, dependents: Dependents) =>
  handleJob(job, async ({ db, events }: Services, ref, signal) => {
    const { tenantId, organizationId, folderId } = ref;
    const ctx = { events, tenantId, dependents };
    const organizationIds = [organizationId];
    const scope = { organizationIds, folderIds: folderId === undefined ? undefined : [folderId] };
    // Without statistics, PostgreSQL may read every document of the tenant for each document that a step deletes.
    await db.query(sql`ANALYZE documents /* all tenants, background */`);
    /** Runs one transaction. Returns whether there may be more to delete. */
    const deleteStep = () =>
      db.transaction(async (tx) => {
        await lockFolderTree(tx, tenantId, organizationId);
        const target = await findBeingDeleted(tx, ref);
        if (!target) return false;
        const content = await lockContent(tx, tenantId, scope, BATCH_SIZE);
        const { documents, folders, isMore } = content;
        const isEmpty = !isMore && documents.length + folders.length === 0;
        const { organization } = target;
        // An organization is deleted in a step of its own. A folder is not: `lockContent` returns it as its last row.
        const rows = isEmpty && organization ? { organizations: [organization] } : content;
        await deleteLockedRows(ctx, tx, scope, rows);
        return !isEmpty;
      });
    while (await deleteStep()) signal.throwIfAborted();
  });

/**
 * Finds the organization or folder if it is still marked as being deleted: a new one may have its id by now.
 * Returns the row of an organization, which `deleteLockedRows` needs; `lockContent` returns that of a folder.
 */
async function findBeingDeleted(
  tx: Transaction,
  { tenantId, organizationId, folderId }: DeletionRef,
): Promise<{ organization: OrganizationRow | undefined } | undefined> {
  if (folderId !== undefined) {
    const [found] = await tx.query(sql`
      SELECT 1 FROM folders /* background */
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ${folderId} AND is_being_deleted`);
    return found && { organization: undefined };
  }
  // The lock keeps others from adding anything.
  const [organization] = await tx.query<OrganizationRow>(sql`
    SELECT ${ORGANIZATIONS.columns} FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} AND is_being_deleted
    FOR UPDATE`);
  return organization && { organization };
}
