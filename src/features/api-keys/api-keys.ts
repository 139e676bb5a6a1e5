import type { WorkspaceContext } from '../../api/context.ts';
import { among, readPage } from '../../api/paging.ts';
import { sql } from '../../platform/database/database.ts';
import { apiKeyNotFound } from './auth-tokens.ts';
import { type GetApiKeysInput, type KeyRow, presentKey, type UpdateApiKeyInput } from './schema.ts';

/** Returns a page of the workspace's API keys, ordered by id. */
export async function getApiKeys(ctx: WorkspaceContext, input: GetApiKeysInput) {
  const { apiKeys, pageSize, pageToken } = input;
  const { workspaceId } = ctx;
  const query = { operation: 'apiKeys.get', filters: { apiKeys }, pageSize, pageToken };
  const owner = { secrets: ctx.secrets, tenantId: workspaceId };
  const id = sql`id`;
  const { rows, nextPageToken } = await readPage(owner, query, [id, idOf], (endOfQuery) =>
    ctx.db.query<KeyRow>(sql`
      SELECT id, name, type, disabled FROM api_keys
      WHERE workspace_id = ${workspaceId} ${among(id, apiKeys)} ${endOfQuery}`),
  );
  return { data: rows.map(presentKey), nextPageToken };
}

const idOf = ({ id }: KeyRow) => id;

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
