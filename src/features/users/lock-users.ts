import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { isActiveGrant, isGrantOn } from '../access/active-grant.ts';
import type { NamedPlace } from '../access/places.ts';
import { namedUsers, type UserRow } from '../access/users/users.ts';
import { lockPlace } from '../directory/documents/lock-document.ts';

/**
 * Locks a resource and the existing users until the transaction ends, and returns the users with their
 * role on the resource. A second statement reads the roles, so that it sees what others committed before
 * the locks were acquired. OFFSET 0 makes PostgreSQL look up the grant of each user by its key.
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
      SELECT user_id AS "userId" FROM ${namedUsers(tenantId, userIds, sql`FOR UPDATE`)} u`),
    tx.query<UserRow>(sql`
      SELECT u.user_id AS "userId", u.name, u.email, u.initial, u.metadata,
             g.access_role AS "accessRole"
      FROM ${namedUsers(tenantId, userIds)} u
      LEFT JOIN LATERAL (
        SELECT access_role FROM grants g
        WHERE g.tenant_id = ${tenantId} AND g.user_id = u.user_id
          AND ${isGrantOn(sql`g`, place)} AND ${isActiveGrant(sql`g`, clock)} OFFSET 0
      ) AS g ON true`),
  ]);
  // Users who were added in between are not locked, and are omitted.
  const lockedIds = new Set(locked.map((row) => row.userId));
  return new Map(rows.filter((row) => lockedIds.has(row.userId)).map((row) => [row.userId, row]));
}
