import { type Queryable, sql } from '../../platform/database/database.ts';
import { presentUser, type UserRow } from '../access/users/present-user.ts';

/** The fields that users see of each other; unknown fields are absent. */
export interface KnownPerson {
  userId: string;
  name?: string;
  initial?: string;
  photoUrl?: string;
}

interface PersonRow {
  userId: string;
  name: string | null;
  initial: string | null;
  photoUrl: string | null;
}

/** Loads the stored fields of users of a key, by id. An unknown user has only an id. */
export async function loadPeople(
  db: Queryable,
  tenantId: string,
  userIds: readonly string[],
): Promise<Map<string, KnownPerson>> {
  const rows = await db.query<PersonRow>(sql`
    SELECT user_id AS "userId", name, initial, metadata->>'photoUrl' AS "photoUrl"
    FROM users WHERE tenant_id = ${tenantId} AND user_id = ANY(${[...userIds]})`);
  return new Map(rows.map((row) => [row.userId, presented(row)]));
}

const presented = ({ userId, name, initial, photoUrl }: PersonRow): KnownPerson => ({
  userId,
  ...(name !== null && { name }),
  ...(initial !== null && { initial }),
  ...(photoUrl !== null && { photoUrl }),
});

/** Loads a user independently of any place, in one statement. */
export async function loadUser(db: Queryable, tenantId: string, userId: string) {
  const [row] = await db.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${tenantId} AND user_id = ${userId}`);
  return row ? presentUser(row) : { userId };
}
