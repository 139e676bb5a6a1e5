import type { WorkspaceContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { type GetApiKeysInput, type KeyRow, presentKey } from './schema.ts';

/** Returns a page of the workspace's API keys, ordered by id. */
export async function getApiKeys(ctx: WorkspaceContext, input: GetApiKeysInput) {
  const { apiKeys, pageSize, pageToken } = input;
  const { workspaceId } = ctx;
  const query = { operation: 'apiKeys.get', tenantId: workspaceId, filters: { apiKeys } };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const found = await ctx.db.query<KeyRow>(sql`
    SELECT id, name, type, disabled FROM api_keys
    WHERE workspace_id = ${workspaceId} AND id > ${after ?? ''}
      ${apiKeys?.length ? sql`AND id = ANY(${apiKeys})` : empty}
    ORDER BY id LIMIT ${pageSize + 1}`);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.id]),
  );
  return { data: rows.map(presentKey), nextPageToken };
}
