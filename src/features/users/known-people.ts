import { type Queryable, sql } from '../../platform/database/database.ts';

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
