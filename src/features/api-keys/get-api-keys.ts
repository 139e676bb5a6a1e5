import type { WorkspaceContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { type GetApiKeysInput, presentKey } from './schema.ts';

/** Returns a page of the workspace's API keys, ordered by id. */
export async function getApiKeys(ctx: WorkspaceContext, input: GetApiKeysInput) {
  const { apiKeys, pageSize, pageToken } = input;
  const { workspaceId } = ctx;
  const query = { operation: 'apiKeys.get', tenantId: workspaceId, filters: { apiKeys } };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const prisma = await ctx.db.prisma();
  const found = await prisma.apiKey.findMany({
    where: {
      workspaceId,
      AND: [apiKeys?.length ? { id: { in: apiKeys } } : {}, after ? { id: { gt: after } } : {}],
    },
    orderBy: { id: 'asc' },
    take: pageSize + 1,
  });
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.id]),
  );
  return { data: rows.map(presentKey), nextPageToken };
}
