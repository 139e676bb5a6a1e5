import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { isActiveGrant, isGrantOn } from '../access/active-grant.ts';
import type { NamedPlace } from '../access/places.ts';
import type { UserRow } from '../access/users/users.ts';
import { lockPlace } from '../directory/documents/lock-document.ts';

/**
 * Locks a resource and the existing users until the transaction ends, and returns the users with their
 * role on the resource. A second statement reads the roles, so that it sees them after the locks were
 * acquired.
 */
export async function lockUsers(
  { tenantId, clock }: KeyContext,
  tx: Transaction,
  place: NamedPlace,
  userIds: string[],
): Promise<Map<string, UserRow>> {
  const [, locked, rows] = await pipeline([
    lockPlace(tx, tenantId, place),
    // Locking in the order of ids prevents deadlocks between batches with the same users.
    tx.query<{ userId: string }>(sql`
      SELECT user_id AS "userId" FROM users
      WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds})
      ORDER BY user_id FOR UPDATE`),
    tx.query<UserRow>(sql`
      SELECT u.user_id AS "userId", u.name, u.email, u.initial, u.metadata,
             g.access_role AS "accessRole"
      FROM users u
      LEFT JOIN grants g ON g.tenant_id = u.tenant_id AND g.user_id = u.user_id
        AND ${isGrantOn(sql`g`, place)} AND ${isActiveGrant(sql`g`, clock)}
      WHERE u.tenant_id = ${tenantId} AND u.user_id = ANY(${userIds})`),
  ]);
  // Users who were added in between are not locked, and are omitted.
  const isLocked = new Set(locked.map((row) => row.userId));
  return new Map(rows.filter((row) => isLocked.has(row.userId)).map((row) => [row.userId, row]));
}
