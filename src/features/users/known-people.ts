import { type Queryable, sql } from '../../platform/database/database.ts';
import { presentUser, type UserRow } from '../access/users/users.ts';

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
export async function loadPeople(db: Queryable, tenantId: string, userIds: readonly string[]) {
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

/** Loads users of a key independently of any place, by id, in one statement. */
export async function loadUsers(db: Queryable, tenantId: string, userIds: readonly string[]) {
  const ids = [...new Set(userIds)];
  const rows = await db.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM users WHERE tenant_id = ${tenantId} AND user_id = ANY(${ids})`);
  return new Map(rows.map((row) => [row.userId, presentUser(row)]));
}

/** Loads one user in the same way; an unknown one has only an id. */
export const loadUser = async (db: Queryable, tenantId: string, userId: string) =>
  (await loadUsers(db, tenantId, [userId])).get(userId) ?? { userId };
