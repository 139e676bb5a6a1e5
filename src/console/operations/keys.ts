import { z } from 'zod';
import { consoleOperation, router } from '../../api/procedures.ts';
import { sql } from '../../platform/database/database.ts';

interface Key {
  apiKey: string;
  name: string;
  type: string;
  disabled: boolean;
  workspaceId: string;
  workspaceName: string;
}

export const keysRouter = router({
  /** The API keys that the signed-in person may choose, at most 1000, those of a workspace together. */
  list: consoleOperation.input(z.strictObject({})).query(async ({ ctx }) => {
    const { workspaceId, apiKey } = ctx.signedIn.bounds;
    const keys = await ctx.db.query<Key>(sql`
        SELECT k.id AS "apiKey", k.name, k.type, k.disabled,
               w.id AS "workspaceId", w.name AS "workspaceName"
        FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
        WHERE (${workspaceId ?? null}::text IS NULL OR w.id = ${workspaceId ?? null})
          AND (${apiKey ?? null}::text IS NULL OR k.id = ${apiKey ?? null})
        ORDER BY w.created_at, w.id, k.created_at, k.id LIMIT 1000`);
    return { keys };
  }),
});
