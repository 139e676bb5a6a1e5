import { z } from 'zod';
import type { SignedIn } from '../../api/credentials/signed-in.ts';
import { consoleOperation, router } from '../../api/procedures.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/** How many API keys are read at most. */
const MAX_KEYS = 1_000;

interface Key {
  apiKey: string;
  name: string;
  disabled: boolean;
  workspaceId: string;
  workspaceName: string;
}

export const keysRouter = router({
  /** The API keys that the signed-in person may choose, grouped by workspace. */
  list: consoleOperation.input(z.strictObject({})).query(async ({ ctx }) => {
    const { workspaceId, apiKey } = ctx.signedIn.bounds;
    const keys = await ctx.db.query<Key>(sql`
        SELECT k.id AS "apiKey", k.name, k.disabled,
               w.id AS "workspaceId", w.name AS "workspaceName"
        FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
        WHERE (${workspaceId ?? null}::text IS NULL OR w.id = ${workspaceId ?? null})
          AND (${apiKey ?? null}::text IS NULL OR k.id = ${apiKey ?? null})
        ORDER BY w.created_at, w.id, k.created_at, k.id LIMIT ${MAX_KEYS}`);
    return { keys };
  }),
});

/** The API keys to which a person is limited; undefined for people who may choose any key. */
export async function readAllowedKeys(
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
