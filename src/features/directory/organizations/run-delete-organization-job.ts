import type { Services } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import type { TenantWriter } from '../documents/remove-documents.ts';
import { lockFolderTree } from '../folders/folders.ts';
import { prepareRemoval, removeStep } from '../folders/remove-step.ts';
import { deleteOrganizationJob } from './delete-organization-job.ts';
import { type OrganizationRow, organizationColumns } from './organizations.ts';
import { removeOrganizations } from './remove-organizations.ts';

/** Clears the organization step by step, then deletes it. Run again, it goes on with what is left. */
export const deleteOrganizationHandler = handleJob(
  deleteOrganizationJob,
  async ({ db, events }: Services, { tenantId, organizationId }, signal) => {
    const ctx = { db, events, tenantId };
    await prepareRemoval(db);
    const step = () => db.transaction((tx) => clear(ctx, tx, organizationId));
    while (await step()) signal.throwIfAborted();
  },
);

/** @returns false when the organization is gone */
async function clear(ctx: TenantWriter, tx: Transaction, organizationId: string) {
  await lockFolderTree(tx, ctx.tenantId, organizationId);
  // While the row is locked, nothing can be added to the organization.
  const [organization] = await tx.query<OrganizationRow>(lockOf(ctx.tenantId, organizationId));
  if (!organization) return false;
  if (await removeStep(ctx, tx, { organizationId })) return true;
  await removeOrganizations(ctx, tx, [organization]);
  return false;
}

const lockOf = (tenantId: string, organizationId: string): Sql => sql`
  SELECT ${organizationColumns} FROM organizations
  WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} FOR UPDATE`;
