import type { WorkspaceContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { sql } from '../../platform/database/database.ts';
import { apiKeyNotFound } from './auth-tokens.ts';
import { type GetApiKeysInput, type KeyRow, presentKey, type UpdateApiKeyInput } from './schema.ts';

/** Returns a page of the workspace's API keys, ordered by id. */
export async function getApiKeys(ctx: WorkspaceContext, input: GetApiKeysInput) {
  const { apiKeys, pageSize, pageToken } = input;
  const { workspaceId } = ctx;
  const query = { operation: 'apiKeys.get', tenantId: workspaceId, filters: { apiKeys } };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const named = apiKeys?.length ? apiKeys : null;
  const found = await ctx.db.query<KeyRow>(sql`
    SELECT id, name, type, disabled FROM api_keys
    WHERE workspace_id = ${workspaceId}
      AND (${named}::text[] IS NULL OR id = ANY(${named})) AND id > ${after ?? ''}
    ORDER BY id LIMIT ${pageSize + 1}`);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.id]),
  );
  return { data: rows.map(presentKey), nextPageToken };
}

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
