import type { Services } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import type { TenantWriter } from '../documents/remove-documents.ts';
import { lockFolderTree } from '../folders/folders.ts';
import { removeStep, updateStatistics } from '../folders/remove-step.ts';
import { deleteOrganizationJob } from './delete-organization-job.ts';
import { type OrganizationRow, organizationColumns } from './organizations.ts';
import { removeOrganizations } from './remove-organizations.ts';

/**
 * Deletes the content of an organization step by step, and then the organization. After a crash the
 * job continues with the remaining rows.
 */
export const deleteOrganizationHandler = handleJob(
  deleteOrganizationJob,
  async ({ db, events }: Services, { tenantId, organizationId, isMarked }, signal) => {
    const ctx = { db, events, tenantId };
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
