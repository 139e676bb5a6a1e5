import type { KeyContext } from '../../api/context.ts';
import { type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';

export const organizationNotFound = () =>
  invalidArgument('The organization does not exist.', { reason: 'organization_not_found' });

/** The organization as the read operations present it. */
export const presentOrganization = (organizationId: string) => ({
  organizationId,
  organizationName: organizationId,
});

/** Makes the organization when it is missing, and tells it. Two callers at once make one. */
export async function ensureOrganization(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
): Promise<void> {
  const created = await tx.query(sql`
    INSERT INTO organizations (tenant_id, organization_id, organization_name)
    VALUES (${ctx.tenantId}, ${organizationId}, ${organizationId})
    ON CONFLICT DO NOTHING RETURNING 1`);
  if (created.length === 0) return;
  await ctx.events.append(tx, ctx.tenantId, [
    {
      type: 'organization.add',
      organizationId,
      channels: [`organization:${organizationId}`],
      data: presentOrganization(organizationId),
    },
  ]);
}

/** @throws INVALID_ARGUMENT (organization_not_found) */
export async function requireOrganization(
  db: Queryable,
  tenantId: string,
  organizationId: string,
): Promise<void> {
  const found = await db.query(sql`
    SELECT 1 FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
  if (found.length === 0) throw organizationNotFound();
}

/** The organization, made when it is missing and the caller asked for that. */
export function organizationFor(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  createOrganization: boolean,
): Promise<void> {
  return createOrganization
    ? ensureOrganization(ctx, tx, organizationId)
    : requireOrganization(tx, ctx.tenantId, organizationId);
}
