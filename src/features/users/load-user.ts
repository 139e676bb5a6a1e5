import { type Queryable, sql } from '../../platform/database/database.ts';
import { presentUser, type UserRow } from '../access/users/present-user.ts';

/** Loads a user independently of any place, in one statement. */
export async function loadUser(db: Queryable, tenantId: string, userId: string) {
  const [row] = await db.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${tenantId} AND user_id = ${userId}`);
  return row ? presentUser(row) : { userId };
}
