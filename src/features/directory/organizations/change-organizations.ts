import { mergeItems } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { ORGANIZATIONS, organizationEvent } from './organizations.ts';
import type { OrganizationInput } from './schema.ts';

/** Adds organizations. An existing organization is not changed, and its outcome says so. */
export function addOrganizations(ctx: KeyContext, organizations: OrganizationInput[]) {
  const batch = ORGANIZATIONS.mergeBatch(organizations);
  const rows = batch.map((organization) => ({
    organizationId: organization.organizationId,
    metadata: ORGANIZATIONS.metadataOf(organization),
    organizationName: organization.organizationName ?? organization.organizationId,
  }));
  return ctx.db.transaction(async (tx) => {
    const [beingDeleted, added] = await pipeline([
      findBeingDeleted(ctx, tx, batch.map(ORGANIZATIONS.idOf)),
      ORGANIZATIONS.insert(tx, ctx.tenantId, rows),
    ]);
    const events = added.values().map((row) => organizationEvent('organization.add', row));
    await ctx.events.append(tx, ctx.tenantId, events);
    return ORGANIZATIONS.additionOutcomes(batch, added, (id) =>
      beingDeleted.has(id) ? 'Organization is being deleted.' : 'Organization already exists.',
    );
  });
}

async function findBeingDeleted({ tenantId }: KeyContext, tx: Transaction, ids: string[]) {
  const rows = await tx.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM organizations
    WHERE tenant_id = ${tenantId} AND is_being_deleted AND organization_id = ANY(${ids})`);
  return new Set(rows.map(({ organizationId }) => organizationId));
}

/** Renames organizations and merges their metadata. The outcome of an unknown organization is a failure. */
export function updateOrganizations(ctx: KeyContext, organizations: OrganizationInput[]) {
  const { tenantId } = ctx;
  const batch = mergeItems(organizations, ORGANIZATIONS.idOf);
  return ctx.db.transaction(async (tx) => {
    const locked = await ORGANIZATIONS.lock(tx, { tenantId }, batch);
    const { outcomes, changes } = await ORGANIZATIONS.change(tx, { tenantId }, { batch, locked });
    const events = changes
      .values()
      .map(({ before, after }) => organizationEvent('organization.update', after, before));
    await ctx.events.append(tx, tenantId, events);
    return outcomes;
  });
}
