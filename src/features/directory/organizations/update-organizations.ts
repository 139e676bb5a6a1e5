import { isDeepStrictEqual } from 'node:util';
import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, metadataProblem } from '../../../api/fields.ts';
import { listToJson, mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type OrganizationRow, organizationColumns, organizationEvent } from './organizations.ts';
import { ORGANIZATION_FIELDS, type OrganizationInput } from './schema.ts';

/**
 * Renames organizations and merges their metadata. An unknown organization fails in its outcome.
 */
export function updateOrganizations(
  ctx: KeyContext,
  organizations: OrganizationInput[],
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(organizations, (organization) => organization.organizationId);
  return ctx.db.transaction(async (tx) => {
    const before = await lockOrganizations(ctx, tx, batch);
    const changed: OrganizationRow[] = [];
    const outcomes = await mapInChunks(batch, (given) => {
      const old = before.get(given.organizationId);
      const row = old && merge(old, given);
      const outcome = applyUpdates(given.organizationId, row);
      if (row && outcome.success && !isDeepStrictEqual(row, old)) changed.push(row);
      return outcome;
    });
    await saveOrganizations(ctx, tx, changed);
    const events = changed
      .values()
      .map((row) => organizationEvent('organization.update', row, before.get(row.organizationId)));
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomeMap(outcomes);
  });
}

async function lockOrganizations(ctx: KeyContext, tx: Transaction, batch: OrganizationInput[]) {
  const rows = await tx.query<OrganizationRow>(sql`
    SELECT ${organizationColumns} FROM organizations
    WHERE tenant_id = ${ctx.tenantId}
      AND organization_id = ANY(${batch.map(({ organizationId }) => organizationId)})
    ORDER BY organization_id FOR NO KEY UPDATE`);
  return new Map(rows.map((row) => [row.organizationId, row]));
}

const merge = (old: OrganizationRow, given: OrganizationInput): OrganizationRow => ({
  ...old,
  organizationName: given.organizationName ?? old.organizationName,
  metadata: { ...old.metadata, ...metadataOf(given, ORGANIZATION_FIELDS) },
});

function applyUpdates(id: string, row: OrganizationRow | undefined): ItemOutcome {
  if (!row) return failed(id, 'Organization does not exist.');
  const problem = metadataProblem(row.metadata);
  if (problem) return failed(id, `The metadata ${problem}.`);
  return succeeded(id, 'Organization updated.');
}

async function saveOrganizations(ctx: KeyContext, tx: Transaction, rows: OrganizationRow[]) {
  if (rows.length === 0) return;
  await tx.query(sql`
    UPDATE organizations SET organization_name = given."organizationName",
      metadata = given.metadata, updated_at = now()
    FROM jsonb_to_recordset(${await listToJson(rows)}::jsonb) AS given(
      "organizationId" text, "organizationName" text, metadata jsonb)
    WHERE tenant_id = ${ctx.tenantId}
      AND organization_id = ANY(${rows.map((row) => row.organizationId)})
      AND organization_id = given."organizationId"`);
}
