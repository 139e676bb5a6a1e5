import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { BASIC_PROCESSED, BASIC_RAW, notifies } from '../basic/basic-endpoints.ts';

/** The fields of an endpoint that decide which events it receives. */
export interface Target {
  tenantId: string;
  endpointId: string;
  filterTypes: string[] | null;
  channels: string[] | null;
  /** Events up to this number were committed before the endpoint was created. */
  startSequence: string;
}

/** SQL: the tenants that may have endpoints at all. */
export const tenantsWithWebhooks = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */
  WHERE use_advanced_webhooks OR use_webhook_service`;

/** The endpoints of these tenants that take deliveries, basic webhooks included. One statement. */
export const loadTargets = (db: Queryable, tenantIds: string[]): Promise<Target[]> =>
  db.query<Target>(sql`
    SELECT endpoint.tenant_id AS "tenantId", id AS "endpointId", filter_types AS "filterTypes",
           channels, start_sequence::text AS "startSequence"
    FROM webhook_endpoints AS endpoint /* all tenants, background */
    JOIN service_settings AS settings ON settings.tenant_id = endpoint.tenant_id
    WHERE endpoint.tenant_id = ANY(${tenantIds}) AND NOT disabled AND use_advanced_webhooks
    UNION ALL
    SELECT tenant_id, basic.id, NULL, NULL, '0'
    FROM service_settings /* all tenants, background */
    CROSS JOIN (VALUES (${BASIC_RAW}, 'rawNotificationUrl'),
                       (${BASIC_PROCESSED}, 'processedNotificationUrl')) AS basic(id, url)
    WHERE tenant_id = ANY(${tenantIds}) AND use_webhook_service
      AND COALESCE(webhook_service_config->>basic.url, '') <> ''`);

/** Whether the endpoint receives an event of its tenant (decisions section 7). */
export function isFor(target: Target, event: LoggedEvent): boolean {
  if (BigInt(event.sequence) <= BigInt(target.startSequence)) return false;
  if (target.endpointId === BASIC_PROCESSED) return notifies(event.type);
  const { filterTypes, channels } = target;
  return (
    (filterTypes === null || filterTypes.includes(event.type)) &&
    (channels === null || channels.some((channel) => event.channels.includes(channel)))
  );
}
