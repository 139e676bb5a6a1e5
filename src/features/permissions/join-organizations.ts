import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { addToOrganizations } from '../access/add-missing-users.ts';
import { placeNotFound } from '../access/place-not-found.ts';
import { rejectPendingDeletion } from './reject-pending-deletion.ts';

/**
 * For keys with `requireAutoOrgUser`: a user gets into the organizations that a user token names
 * when it is made, with the role of anybody added without one. Where there was a grant that has
 * ended it stays ended. Nobody joins by using a token: who was taken out of an organization must not
 * come back with a token from before.
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
  await addToOrganizations(ctx, tx, organizationIds, [userId]);
}
