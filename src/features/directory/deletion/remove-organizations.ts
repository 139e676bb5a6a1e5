import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type OrganizationRow, organizationEvent } from '../organizations/organizations.ts';
import { allIn, type TenantWriter } from './remove-documents.ts';

/**
 * Deletes organizations and publishes `organization.delete`. The caller has locked them FOR UPDATE,
 * and removed their documents and folders.
 */
export async function removeOrganizations(
  { events, tenantId, dependents }: Omit<TenantWriter, 'db'>,
  tx: Transaction,
  organizations: OrganizationRow[],
): Promise<void> {
  if (organizations.length === 0) return;
  const ids = organizations.map((row) => row.organizationId);
  const which = allIn(ids);
  for (const deletionOf of dependents.organization) await tx.query(deletionOf(tenantId, which));
  await tx.query(sql`
    DELETE FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${ids})`);
  const deletions = organizations
    .values()
    .map((row) => organizationEvent('organization.delete', row));
  await events.append(tx, tenantId, deletions);
}
