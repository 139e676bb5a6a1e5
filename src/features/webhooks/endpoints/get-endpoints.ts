import type { KeyContext } from '../../../api/context.ts';
import { readPageToken, writePageToken } from '../../../api/paging.ts';
import { sql } from '../../../platform/database/database.ts';
import type { GetEndpointsInput } from '../schema.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from './endpoint-row.ts';
import { requireAdvancedWebhooks } from './require-endpoint.ts';

type Direction = 'after' | 'before';

/** The key's endpoints in the order of their creation, with iterators in both directions. */
export async function getEndpoints(ctx: KeyContext, { limit, iterator }: GetEndpointsInput) {
  const query = { operation: 'webhookEndpoints.get', tenantId: ctx.tenantId, filters: {} };
  const [direction, from] = readPageToken(ctx.secrets, query, iterator, 'iterator') ?? [];
  await requireAdvancedWebhooks(ctx);
  const isBackwards = direction === 'before';
  const operator = isBackwards ? sql`<` : sql`>`;
  const order = isBackwards ? sql`DESC` : sql`ASC`;
  const found = await ctx.db.query<EndpointRow>(sql`
    SELECT ${endpointColumns} FROM webhook_endpoints
    WHERE tenant_id = ${ctx.tenantId} AND position ${operator} ${from ?? '0'}::bigint
    ORDER BY webhook_endpoints.position ${order} LIMIT ${limit + 1}`);
  const hasMore = found.length > limit;
  const rows = isBackwards ? found.slice(0, limit).toReversed() : found.slice(0, limit);
  const token = (next: Direction, row: EndpointRow | undefined) =>
    row ? writePageToken(ctx.secrets, query, [next, row.position]) : null;
  // A page that was requested by an iterator has a neighbour: the page whose answer held the iterator.
  const hasNext = isBackwards || hasMore;
  const hasPrevious = isBackwards ? hasMore : from !== undefined;
  return {
    endpoints: rows.map((row) => presentEndpoint(ctx, row)),
    iterator: hasNext ? token('after', rows.at(-1)) : null,
    prevIterator: hasPrevious ? token('before', rows[0]) : null,
    done: !hasMore,
  };
}
