import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, requireSmallMetadata } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { type OrganizationRow, organizationColumns, organizationEvent } from './organizations.ts';
import { ORGANIZATION_FIELDS, type OrganizationInput } from './schema.ts';

/** Adds organizations. An existing organization is not changed, and its outcome says so. */
export function addOrganizations(
  ctx: KeyContext,
  organizations: OrganizationInput[],
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(
    organizations,
    (organization) => organization.organizationId,
    (organization) =>
      requireSmallMetadata(
        organization.organizationId,
        metadataOf(organization, ORGANIZATION_FIELDS),
        'organizations',
      ),
  );
  return ctx.db.transaction(async (tx) => {
    const [beingDeleted, added] = await pipeline([
      findBeingDeleted(ctx, tx, batch),
      insertOrganizations(ctx, tx, batch),
    ]);
    const events = added.values().map((row) => organizationEvent('organization.add', row));
    await ctx.events.append(tx, ctx.tenantId, events);
    const addedIds = new Set(added.map((row) => row.organizationId));
    return outcomeMap(
      batch.map(({ organizationId: id }) => {
        if (addedIds.has(id)) return succeeded(id, 'Organization added.');
        return failed(
          id,
          beingDeleted.has(id) ? 'Organization is being deleted.' : 'Organization already exists.',
        );
      }),
    );
  });
}

async function findBeingDeleted(ctx: KeyContext, tx: Transaction, batch: OrganizationInput[]) {
  const rows = await tx.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM organizations
    WHERE tenant_id = ${ctx.tenantId} AND is_being_deleted
      AND organization_id = ANY(${batch.map(({ organizationId }) => organizationId)})`);
  return new Set(rows.map(({ organizationId }) => organizationId));
}

/** @returns the organizations that did not exist yet */
async function insertOrganizations(
  ctx: KeyContext,
  tx: Transaction,
  organizations: OrganizationInput[],
): Promise<OrganizationRow[]> {
  const rows = organizations.map((organization) => ({
    organization_id: organization.organizationId,
    organization_name: organization.organizationName,
    metadata: metadataOf(organization, ORGANIZATION_FIELDS),
  }));
  // Inserting in the order of ids prevents deadlocks between batches with the same organizations.
  return tx.query<OrganizationRow>(sql`
    INSERT INTO organizations (tenant_id, organization_id, organization_name, metadata)
    SELECT ${ctx.tenantId}, organization_id, COALESCE(organization_name, organization_id), metadata
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS organization(
      organization_id text, organization_name text, metadata jsonb)
    ORDER BY organization_id
    ON CONFLICT DO NOTHING RETURNING ${organizationColumns}`);
}
