import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { newestSequence } from '../../../platform/events/logged-events.ts';
import { newId } from '../../../platform/ids.ts';
import { requireReachable } from '../require-reachable.ts';
import type { CreateEndpointInput, Endpoint } from '../schema.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from './endpoint-row.ts';
import { requireAdvancedWebhooks } from './require-endpoint.ts';
import { sealNewSecret, urlStorageAddress } from './secrets.ts';

/** The most endpoints of a key. Each event is compared with the filters of all of them. */
const MAX_ENDPOINTS = 1_000;

/** Creates an endpoint that receives the events committed from now on. */
export async function createEndpoint(
  ctx: KeyContext,
  input: CreateEndpointInput,
): Promise<Endpoint> {
  const { tenantId } = ctx;
  await requireAdvancedWebhooks(ctx);
  await requireReachable(ctx, 'url', input.url);
  await requireFewEndpoints(ctx);
  // Events that were committed before this call get their numbers first, below the start.
  await ctx.events.sequence(tenantId, ctx.db);
  const startSequence = await newestSequence(ctx.db);
  const id = newId();
  const sealedSecret = sealNewSecret(ctx.secrets, tenantId, id);
  const sealedUrl = ctx.secrets.seal(input.url, urlStorageAddress(tenantId, id));
  const now = new Date(ctx.clock.now());
  const metadata = input.metadata && JSON.stringify(input.metadata);
  const [row] = await ctx.db.write<EndpointRow>(sql`
    INSERT INTO webhook_endpoints (tenant_id, id, url, description, filter_types, channels,
      disabled, rate_limit, uid, metadata, sealed_secret, start_sequence, created_at, updated_at)
    VALUES (${tenantId}, ${id}, ${sealedUrl}, ${input.description ?? null},
      ${input.filterTypes ?? null}, ${input.channels ?? null}, ${input.disabled ?? false},
      ${input.rateLimit ?? null}, ${input.uid ?? null}, ${metadata ?? null}::json,
      ${sealedSecret}, ${startSequence}::bigint, ${now}, ${now})
    ON CONFLICT (tenant_id, uid) DO NOTHING
    RETURNING ${endpointColumns}`);
  if (!row) throw new AppError('ALREADY_EXISTS', 'Another endpoint has this uid.');
  return presentEndpoint(ctx, row);
}

async function requireFewEndpoints({ db, tenantId }: KeyContext): Promise<void> {
  const [row] = await db.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM webhook_endpoints WHERE tenant_id = ${tenantId}`);
  if ((row?.count ?? 0) < MAX_ENDPOINTS) return;
  throw new AppError('RESOURCE_EXHAUSTED', `A key has at most ${MAX_ENDPOINTS} endpoints.`);
}
