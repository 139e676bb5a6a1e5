import type { SignedIn } from '../../api/credentials/signed-in.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/** The most API keys of a workspace that are looked at. */
const MAX_KEYS = 1_000;

/** The API keys that a person is bound to; undefined for those who have all. */
export async function ownKeys(
  db: Queryable,
  { workspaceId, apiKey }: SignedIn['bounds'],
): Promise<string[] | undefined> {
  if (apiKey !== undefined) return [apiKey];
  if (workspaceId === undefined) return undefined;
  const keys = await db.query<{ id: string }>(sql`
    SELECT id FROM api_keys WHERE workspace_id = ${workspaceId}
    ORDER BY created_at, id LIMIT ${MAX_KEYS}`);
  return keys.map(({ id }) => id);
}
