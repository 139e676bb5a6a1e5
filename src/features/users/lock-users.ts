import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import type { UserRow } from '../access/users/present-user.ts';
import type { GrantPlace } from '../access/users/user-event.ts';

/**
 * Locks the existing users until the transaction ends, and returns them with their role on the
 * resource. A second statement reads the roles, so that it sees them after the locks were acquired.
 */
export async function lockUsers(
  ctx: KeyContext,
  tx: Transaction,
  place: GrantPlace,
  userIds: string[],
): Promise<Map<string, UserRow>> {
  const [locked, rows] = await pipeline([
    // Locking in the order of ids prevents deadlocks between batches with the same users.
    tx.query<{ userId: string }>(sql`
      SELECT user_id AS "userId" FROM users
      WHERE tenant_id = ${ctx.tenantId} AND user_id = ANY(${userIds})
      ORDER BY user_id FOR UPDATE`),
    tx.query<UserRow>(sql`
      SELECT u.user_id AS "userId", u.name, u.email, u.initial, u.metadata,
             g.access_role AS "accessRole"
      FROM users u
      LEFT JOIN grants g ON g.tenant_id = u.tenant_id AND g.user_id = u.user_id
        AND g.organization_id = ${place.organizationId} AND g.resource_type = ${place.resourceType}
        AND g.resource_id = ${place.resourceId}
        AND ${isActiveGrant(sql`g`, ctx.clock)}
      WHERE u.tenant_id = ${ctx.tenantId} AND u.user_id = ANY(${userIds})`),
  ]);
  // Users who were added in between are not locked, and are omitted.
  const isLocked = new Set(locked.map((row) => row.userId));
  return new Map(rows.filter((row) => isLocked.has(row.userId)).map((row) => [row.userId, row]));
}
