import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../../platform/errors.ts';
import { getAdvancedWebhookConfig } from '../settings/advanced-webhook-config.ts';

/** @throws FAILED_PRECONDITION while advanced webhooks are not enabled for the key (specification 4.3). */
export async function requireAdvancedWebhooks(ctx: KeyContext): Promise<void> {
  const { isEnabled } = await getAdvancedWebhookConfig(ctx);
  if (!isEnabled) {
    const message =
      'Advanced webhooks are not enabled. Enable them first: advancedWebhookConfig.update.';
    throw new AppError('FAILED_PRECONDITION', message);
  }
}

export const endpointNotFound = () =>
  invalidArgument('The endpoint does not exist.', { reason: 'endpoint_not_found' });

/**
 * Requires that an endpoint exists and is enabled.
 *
 * @throws INVALID_ARGUMENT (endpoint_not_found), FAILED_PRECONDITION if the endpoint is disabled
 */
export async function requireEnabledEndpoint(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<void> {
  const [found] = await db.query<{ disabled: boolean }>(sql`
    SELECT disabled FROM webhook_endpoints
    WHERE tenant_id = ${tenantId} AND id = ${endpointId}`);
  if (!found) throw endpointNotFound();
  if (found.disabled) {
    throw new AppError('FAILED_PRECONDITION', 'The endpoint is disabled. Enable it first.');
  }
}
