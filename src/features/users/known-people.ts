import { type Queryable, sql } from '../../platform/database/database.ts';

/** What users are shown of each other; what is not known is absent. */
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

/** What is known of these users of a key, by their ids. Of whom nothing is known, only the id is. */
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
