import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import { BASIC_PROCESSED, BASIC_RAW, notifies } from '../basic/basic-endpoints.ts';

/** An endpoint as far as it matters for which events are for it. */
export interface Target {
  tenantId: string;
  endpointId: string;
  filterTypes: string[] | null;
  channels: string[] | null;
  /** What is older was committed before the endpoint was made. */
  startSequence: string;
}

/** SQL: the tenants that may have endpoints at all. */
export const tenantsWithWebhooks = sql`
  SELECT tenant_id FROM service_settings /* all tenants */
  WHERE use_advanced_webhooks OR use_webhook_service`;

/** The endpoints of these tenants that take deliveries: two statements, however many. */
export async function loadTargets(db: Queryable, tenantIds: string[]): Promise<Target[]> {
  const advanced = await db.query<Target>(sql`
    SELECT endpoint.tenant_id AS "tenantId", id AS "endpointId", filter_types AS "filterTypes",
           channels, start_sequence::text AS "startSequence"
    FROM webhook_endpoints AS endpoint /* all tenants */
    JOIN service_settings AS settings ON settings.tenant_id = endpoint.tenant_id
    WHERE endpoint.tenant_id = ANY(${tenantIds}) AND NOT disabled AND use_advanced_webhooks`);
  const basic = await db.query<{ tenantId: string; isRaw: boolean; isProcessed: boolean }>(sql`
    SELECT tenant_id AS "tenantId",
           COALESCE(webhook_service_config->>'rawNotificationUrl', '') <> '' AS "isRaw",
           COALESCE(webhook_service_config->>'processedNotificationUrl', '') <> '' AS "isProcessed"
    FROM service_settings /* all tenants */
    WHERE tenant_id = ANY(${tenantIds}) AND use_webhook_service`);
  return [
    ...advanced,
    ...basic.flatMap(({ tenantId, isRaw, isProcessed }) => [
      ...(isRaw ? [basicTarget(tenantId, BASIC_RAW)] : []),
      ...(isProcessed ? [basicTarget(tenantId, BASIC_PROCESSED)] : []),
    ]),
  ];
}

const basicTarget = (tenantId: string, endpointId: string): Target => ({
  tenantId,
  endpointId,
  filterTypes: null,
  channels: null,
  startSequence: '0',
});

/** Whether an event of the same tenant is for the endpoint (decisions section 7). */
export function isFor(target: Target, event: LoggedEvent): boolean {
  if (BigInt(event.sequence) <= BigInt(target.startSequence)) return false;
  if (target.endpointId === BASIC_PROCESSED) return notifies(event.type);
  const { filterTypes, channels } = target;
  return (
    (filterTypes === null || filterTypes.includes(event.type)) &&
    (channels === null || channels.some((channel) => event.channels.includes(channel)))
  );
}
