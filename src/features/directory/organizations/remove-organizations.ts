import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { TenantWriter } from '../documents/remove-documents.ts';
import { type OrganizationRow, organizationEvent } from './organizations.ts';

/**
 * Statements that delete dependent rows without a cascading foreign key. (Grants and user groups
 * have such a key.)
 */
const DEPENDENTS: Array<(tenantId: string, organizationIds: string[]) => Sql> = [
  // Presence may name documents that do not exist.
  (tenantId, organizationIds) => sql`
    WITH disconnected AS (
      DELETE FROM presence_connections
      WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})
    )
    DELETE FROM presence
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})`,
];

/**
 * Deletes organizations and publishes `organization.delete`. The caller has locked them FOR UPDATE,
 * and removed their documents and folders.
 */
export async function removeOrganizations(
  ctx: Pick<TenantWriter, 'events' | 'tenantId'>,
  tx: Transaction,
  organizations: OrganizationRow[],
): Promise<void> {
  if (organizations.length === 0) return;
  const ids = organizations.map((row) => row.organizationId);
  for (const deletionOf of DEPENDENTS) await tx.query(deletionOf(ctx.tenantId, ids));
  await tx.query(sql`
    DELETE FROM organizations
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ANY(${ids})`);
  const events = organizations.values().map((row) => organizationEvent('organization.delete', row));
  await ctx.events.append(tx, ctx.tenantId, events);
}
