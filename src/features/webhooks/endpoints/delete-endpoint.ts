import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { requireAdvancedWebhooks } from './require-endpoint.ts';

/**
 * Deletes an endpoint and its secret permanently (4.4). Its deliveries become invisible, and a
 * periodic task deletes them.
 *
 * @throws NOT_FOUND
 */
export async function deleteEndpoint(ctx: KeyContext, endpointId: string) {
  await requireAdvancedWebhooks(ctx);
  const deleted = await ctx.db.write(sql`
    DELETE FROM webhook_endpoints
    WHERE tenant_id = ${ctx.tenantId} AND id = ${endpointId} RETURNING id`);
  if (deleted.length === 0) throw new AppError('NOT_FOUND', 'The endpoint does not exist.');
  return { endpointId, deleted: true as const };
}
