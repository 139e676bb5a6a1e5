import type { KeyContext } from '../../../api/context.ts';
import { readPageToken, writePageToken } from '../../../api/paging.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { newestSequence } from '../../../platform/events/logged-events.ts';
import { newId } from '../../../platform/ids.ts';
import { isMasked } from '../../../platform/mask-url.ts';
import { wakeQueues } from '../queues.ts';
import { requireReachable } from '../require-reachable.ts';
import type {
  CreateEndpointInput,
  Endpoint,
  GetEndpointsInput,
  UpdateEndpointInput,
} from '../schema.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from './endpoint-row.ts';
import { endpointNotFound, requireAdvancedWebhooks } from './require-endpoint.ts';
import { sealNewSecret, urlStorageAddress } from './secrets.ts';

/** The most endpoints of a key. Each event is compared with the filters of all of them. */
export const MAX_ENDPOINTS = 1_000;

/** Creates an endpoint that receives the events committed from now on. */
export async function createEndpoint(
  ctx: KeyContext,
  input: CreateEndpointInput,
): Promise<Endpoint> {
  const { tenantId } = ctx;
  await requireAdvancedWebhooks(ctx);
  await requireReachable(ctx, 'url', input.url);
  // Gives each event committed before the call a number in the log: at most `startSequence`.
  await ctx.events.sequence(tenantId, ctx.db);
  const startSequence = await newestSequence(ctx.db);
  const id = newId();
  const sealedSecret = sealNewSecret(ctx.secrets, tenantId, id);
  const sealedUrl = ctx.secrets.seal(input.url, urlStorageAddress(tenantId, id));
  const now = new Date(ctx.clock.now());
  const metadata = input.metadata && JSON.stringify(input.metadata);
  return ctx.db.transaction(async (tx) => {
    await requireRoomForEndpoint(tx, tenantId);
    const [row] = await tx.query<EndpointRow>(sql`
      INSERT INTO webhook_endpoints (tenant_id, id, url, description, filter_types, channels,
        disabled, rate_limit, uid, metadata, sealed_secret, start_sequence, created_at, updated_at)
      VALUES (${tenantId}, ${id}, ${sealedUrl}, ${input.description},
        ${input.filterTypes}, ${input.channels}, ${input.disabled ?? false},
        ${input.rateLimit}, ${input.uid}, ${metadata}::json,
        ${sealedSecret}, ${startSequence}::bigint, ${now}, ${now})
      ON CONFLICT (tenant_id, uid) DO NOTHING
      RETURNING ${endpointColumns}`);
    if (!row) throw new AppError('ALREADY_EXISTS', 'Another endpoint has this uid.');
    return presentEndpoint(ctx, row);
  });
}

/** Requires that the key may have another endpoint. A lock keeps concurrent calls from exceeding the limit together. */
async function requireRoomForEndpoint(tx: Transaction, tenantId: string): Promise<void> {
  await tx.query(sql`
    SELECT 1 FROM service_settings WHERE tenant_id = ${tenantId} FOR NO KEY UPDATE`);
  const [row] = await tx.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM webhook_endpoints WHERE tenant_id = ${tenantId}`);
  if ((row?.count ?? 0) < MAX_ENDPOINTS) return;
  const message = `A key can have at most ${MAX_ENDPOINTS} endpoints. Delete one first.`;
  throw new AppError('RESOURCE_EXHAUSTED', message);
}

type Direction = 'after' | 'before';

/** Returns the key's endpoints in the order of their creation, with iterators in both directions. */
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
  // A page that was requested with an iterator has a neighbour: the page whose response contained the iterator.
  const hasNext = isBackwards || hasMore;
  const hasPrevious = isBackwards ? hasMore : from !== undefined;
  return {
    endpoints: rows.map((row) => presentEndpoint(ctx, row)),
    iterator: hasNext ? token('after', rows.at(-1)) : null,
    prevIterator: hasPrevious ? token('before', rows[0]) : null,
    done: !hasMore,
  };
}

/**
 * Changes the given fields (specification 4.3) in one statement, so that concurrent updates both survive. Waiting
 * deliveries use the new URL and rate limit, and stop or continue if the endpoint is disabled or enabled.
 */
export async function updateEndpoint(
  ctx: KeyContext,
  { endpointId, ...input }: UpdateEndpointInput,
): Promise<Endpoint> {
  const { tenantId, secrets } = ctx;
  await requireAdvancedWebhooks(ctx);
  const url = await changedUrl(ctx, endpointId, input.url);
  await requireReachable(ctx, 'url', url);
  const sealedUrl = url && secrets.seal(url, urlStorageAddress(tenantId, endpointId));
  const now = new Date(ctx.clock.now());
  const metadata = input.metadata && JSON.stringify(input.metadata);
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx.query<EndpointRow>(sql`
      UPDATE webhook_endpoints SET
        url = COALESCE(${sealedUrl}, url),
        description = COALESCE(${input.description}, description),
        filter_types = COALESCE(${input.filterTypes}, filter_types),
        channels = COALESCE(${input.channels}, channels),
        disabled = COALESCE(${input.disabled}, disabled),
        rate_limit = COALESCE(${input.rateLimit}, rate_limit),
        metadata = COALESCE(${metadata}::json, metadata),
        updated_at = ${now}
      WHERE tenant_id = ${tenantId} AND id = ${endpointId}
      RETURNING ${endpointColumns}`);
    if (!row) throw endpointNotFound();
    await wakeQueues(ctx, tx, endpointId);
    if (input.disabled === false) {
      await tx.query(sql`
        UPDATE webhook_queues SET failing_since = NULL
        WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId}`);
    }
    return presentEndpoint(ctx, row);
  });
}

/** Returns the new URL; undefined for the masked form of the stored URL. Refuses any other masked URL. */
async function changedUrl(ctx: KeyContext, endpointId: string, url: string | undefined) {
  if (url === undefined || !isMasked(url)) return url;
  const [row] = await ctx.db.query<EndpointRow>(sql`
    SELECT ${endpointColumns} FROM webhook_endpoints
    WHERE tenant_id = ${ctx.tenantId} AND id = ${endpointId}`);
  if (!row) throw endpointNotFound();
  if (presentEndpoint(ctx, row).url === url) return undefined;
  throw invalidField('url', 'is masked: give the whole address');
}

/**
 * Deletes an endpoint and its secret permanently (specification 4.4). Its deliveries become invisible, and a
 * periodic task deletes them.
 *
 * @throws NOT_FOUND
 */
export async function deleteEndpoint(ctx: KeyContext, endpointId: string) {
  await requireAdvancedWebhooks(ctx);
  await ctx.db.transaction(async (tx) => {
    const deleted = await tx.query(sql`
      DELETE FROM webhook_endpoints
      WHERE tenant_id = ${ctx.tenantId} AND id = ${endpointId} RETURNING id`);
    // The specification requires NOT_FOUND here. Other operations throw `endpointNotFound`.
    if (deleted.length === 0) throw new AppError('NOT_FOUND', 'The endpoint does not exist.');
    await wakeQueues(ctx, tx, endpointId);
  });
  return { endpointId, deleted: true as const };
}
