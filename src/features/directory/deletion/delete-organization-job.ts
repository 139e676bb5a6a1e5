import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { lockFolderTree } from '../folders/folders.ts';
import { type OrganizationRow, organizationColumns } from '../organizations/organizations.ts';
import type { TenantWriter } from './remove-documents.ts';
import { removeOrganizations } from './remove-organizations.ts';
import { removeStep, updateStatistics } from './remove-step.ts';

const Payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** False in jobs of earlier versions, which did not mark what they were to delete. */
  isMarked: z.boolean().default(false),
});

/** Deletes an organization in the background. From the request on, nothing can be added to it. */
export const deleteOrganizationJob: Job<z.infer<typeof Payload>> = {
  name: 'organizations.delete',
  payload: Payload,
  keyOf: ({ tenantId, organizationId }) => JSON.stringify([tenantId, organizationId]),
};

/**
 * Deletes the content of an organization step by step, and then the organization. After a crash the
 * job continues with the remaining rows.
 */
export const deleteOrganizationHandler = (dependents: Dependents) =>
  handleJob(
    deleteOrganizationJob,
    async ({ db, events }: Services, { tenantId, organizationId, isMarked }, signal) => {
      const ctx = { db, events, tenantId, dependents };
      if (!isMarked) await mark(ctx, organizationId);
      await updateStatistics(db);
      const step = () => db.transaction((tx) => clear(ctx, tx, organizationId));
      while (await step()) signal.throwIfAborted();
    },
  );

async function mark({ db, tenantId }: TenantWriter, organizationId: string): Promise<void> {
  await db.query(sql`
    UPDATE organizations SET is_being_deleted = true /* background */
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
}

/** @returns false when the organization does not exist any more; another may have its id by now */
async function clear(ctx: TenantWriter, tx: Transaction, organizationId: string) {
  await lockFolderTree(tx, ctx.tenantId, organizationId);
  // The lock keeps others from adding anything to the organization.
  const [organization] = await tx.query<OrganizationRow>(lockOf(ctx.tenantId, organizationId));
  if (!organization) return false;
  if (await removeStep(ctx, tx, { organizationId })) return true;
  await removeOrganizations(ctx, tx, [organization]);
  return false;
}

const lockOf = (tenantId: string, organizationId: string): Sql => sql`
  SELECT ${organizationColumns} FROM organizations
  WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} AND is_being_deleted
  FOR UPDATE`;
