import { type Queryable, sql } from '../../platform/database/database.ts';
import { namedUsers, presentUser, type UserRow } from '../access/users/users.ts';

/** The fields that users see of each other; unknown fields are absent. */
export interface KnownPerson {
  userId: string;
  name?: string;
  initial?: string;
  photoUrl?: string;
}

/** Loads the fields of users that other users see, by user id. */
export async function loadPeople(db: Queryable, tenantId: string, userIds: readonly string[]) {
  const rows = await db.query<{ person: KnownPerson }>(sql`
    SELECT json_strip_nulls(json_build_object('userId', user_id, 'name', name, 'initial', initial,
             'photoUrl', metadata->>'photoUrl')) AS person
    FROM ${namedUsers(tenantId, userIds)} u`);
  return new Map(rows.map(({ person }) => [person.userId, person]));
}

/** Loads users, by user id, without a role on any place. Runs one statement, or none if there are no ids. */
export async function loadUsers(db: Queryable, tenantId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, ReturnType<typeof presentUser>>();
  const rows = await db.query<UserRow>(sql`
    SELECT user_id AS "userId", name, email, initial, metadata, NULL AS "accessRole"
    FROM ${namedUsers(tenantId, userIds)} u`);
  return new Map(rows.map((row) => [row.userId, presentUser(row)]));
}

/** Loads one user. A user who is not stored has only an id. */
export const loadUser = async (db: Queryable, tenantId: string, userId: string) =>
  (await loadUsers(db, tenantId, [userId])).get(userId) ?? { userId };
