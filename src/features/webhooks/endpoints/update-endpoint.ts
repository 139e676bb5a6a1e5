import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { isMasked } from '../../../platform/mask-url.ts';
import { wakeQueues } from '../queues.ts';
import { requireReachable } from '../require-reachable.ts';
import type { Endpoint, UpdateEndpointInput } from '../schema.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from './endpoint-row.ts';
import { endpointNotFound, requireAdvancedWebhooks } from './require-endpoint.ts';
import { urlStorageAddress } from './secrets.ts';

/**
 * Changes the given fields (4.3) in one statement, so that concurrent updates both survive. Waiting
 * deliveries follow the new URL, rate and state.
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

/** Returns undefined for the masked form of the stored URL, and refuses any other masked URL. */
async function changedUrl(ctx: KeyContext, endpointId: string, given: string | undefined) {
  if (given === undefined || !isMasked(given)) return given;
  const [row] = await ctx.db.query<EndpointRow>(sql`
    SELECT ${endpointColumns} FROM webhook_endpoints
    WHERE tenant_id = ${ctx.tenantId} AND id = ${endpointId}`);
  if (!row) throw endpointNotFound();
  if (presentEndpoint(ctx, row).url === given) return undefined;
  throw invalidField('url', 'is masked: give the whole address');
}
