import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { ensureMembership } from '../access/ensure-membership.ts';
import { placeNotFound } from '../access/place-not-found.ts';
import { rejectPendingDeletion } from './reject-pending-deletion.ts';

/**
 * For keys with `requireAutoOrgUser`: adds a user to the organizations that are named when a user
 * token is issued, with the key's default role. Using a token adds nobody, since a removed user
 * must not return with an older token.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export async function joinOrganizations(
  ctx: KeyContext,
  tx: Transaction,
  userId: string,
  organizationIds: string[],
): Promise<void> {
  if (!ctx.key.requireAutoOrgUser || organizationIds.length === 0) return;
  const found = await tx.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM organizations
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ANY(${organizationIds})
    ORDER BY organization_id FOR KEY SHARE`);
  const known = new Set(found.map(({ organizationId }) => organizationId));
  const missing = organizationIds.find((organizationId) => !known.has(organizationId));
  if (missing !== undefined) throw placeNotFound('organization', missing);
  const places = organizationIds.map((id) => ({ type: 'organization' as const, id }));
  await rejectPendingDeletion(tx, ctx.tenantId, places);
  await ensureMembership(ctx, tx, organizationIds, [userId]);
}
