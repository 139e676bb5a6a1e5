import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { lockFolderTree } from '../folders/folders.ts';
import { type OrganizationRow, organizationColumns } from '../organizations/organizations.ts';
import { removeOrganizations, type TenantWriter } from './removal.ts';
import { removeStep, updateStatistics } from './remove-step.ts';

const OrganizationPayload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** False in jobs of earlier versions, which did not mark what they were to delete. */
  isMarked: z.boolean().default(false),
});
type OrganizationPayload = z.infer<typeof OrganizationPayload>;

const FolderPayload = OrganizationPayload.extend({ folderId: z.string() });

/** Deletes an organization in the background. From the request on, nothing can be added to it. */
export const deleteOrganizationJob: Job<OrganizationPayload> = {
  name: 'organizations.delete',
  payload: OrganizationPayload,
  keyOf: ({ tenantId, organizationId }) => JSON.stringify([tenantId, organizationId]),
};

/**
 * Deletes a folder and everything below it in the background. From the request on, nothing can be
 * added to these folders.
 */
export const deleteFolderJob: Job<z.infer<typeof FolderPayload>> = {
  name: 'folders.delete',
  payload: FolderPayload,
  keyOf: ({ tenantId, organizationId, folderId }) =>
    JSON.stringify([tenantId, organizationId, folderId]),
};

/** Deletes the content of an organization from the leaves, and then the organization. */
export const deleteOrganizationHandler = (dependents: Dependents) =>
  deletionHandler(deleteOrganizationJob, dependents, {
    mark: ({ tenantId, organizationId }) => sql`
      UPDATE organizations SET is_being_deleted = true /* background */
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`,
    async step(ctx, tx, { tenantId, organizationId }) {
      // The lock keeps others from adding anything. Another organization may have the id by now.
      const [organization] = await tx.query<OrganizationRow>(sql`
        SELECT ${organizationColumns} FROM organizations
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} AND is_being_deleted
        FOR UPDATE`);
      if (!organization) return false;
      if (await removeStep(ctx, tx, { organizationId })) return true;
      await removeOrganizations(ctx, tx, [organization]);
      return false;
    },
  });

/** Deletes everything below a folder from the leaves, and the folder last. */
export const deleteFolderHandler = (dependents: Dependents) =>
  deletionHandler(deleteFolderJob, dependents, {
    mark: ({ tenantId, organizationId, folderId }) => sql`
      UPDATE folders SET is_being_deleted = true /* background */
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ${folderId}`,
    async step(ctx, tx, { tenantId, organizationId, folderId }) {
      // Another folder may have the id by now.
      const rows = await tx.query(sql`
        SELECT 1 FROM folders /* background */
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND folder_id = ${folderId} AND is_being_deleted`);
      return rows.length > 0 && removeStep(ctx, tx, { organizationId, folderId });
    },
  });

interface Deletion<Payload> {
  /** SQL that keeps others from adding to what is being deleted. */
  mark(payload: Payload): Sql;
  /** @returns whether there is more to delete */
  step(ctx: TenantWriter, tx: Transaction, payload: Payload): Promise<boolean>;
}

/** Runs one transaction for each step. After a crash the job continues with the remaining rows. */
const deletionHandler = <Payload extends OrganizationPayload>(
  job: Job<Payload>,
  dependents: Dependents,
  { mark, step }: Deletion<Payload>,
) =>
  handleJob(job, async ({ db, events }: Services, payload, signal) => {
    const { tenantId, organizationId, isMarked } = payload;
    const ctx = { db, events, tenantId, dependents };
    if (!isMarked) await db.query(mark(payload));
    await updateStatistics(db);
    const next = () =>
      db.transaction(async (tx) => {
        await lockFolderTree(tx, tenantId, organizationId);
        return step(ctx, tx, payload);
      });
    while (await next()) signal.throwIfAborted();
  });
