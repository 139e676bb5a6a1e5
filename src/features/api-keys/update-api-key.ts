import type { WorkspaceContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { apiKeyNotFound } from './auth-tokens.ts';
import type { UpdateApiKeyInput } from './schema.ts';

/**
 * Renames a key, or disables or enables it.
 * @throws NOT_FOUND for a key of another workspace.
 */
export async function updateApiKey(
  ctx: WorkspaceContext,
  { apiKey, apiKeyName, disabled }: UpdateApiKeyInput,
): Promise<null> {
  const updated = await ctx.db.write(sql`
    UPDATE api_keys SET name = COALESCE(${apiKeyName ?? null}, name),
      disabled = COALESCE(${disabled ?? null}, disabled)
    WHERE id = ${apiKey} AND workspace_id = ${ctx.workspaceId} RETURNING 1`);
  if (updated.length === 0) throw apiKeyNotFound();
  return null;
}
