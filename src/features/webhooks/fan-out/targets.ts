import { type Sql, sql } from '../../../platform/database/database.ts';
import { BASIC_PROCESSED, BASIC_RAW } from '../basic/basic-endpoints.ts';

/** SQL: the tenants that may have endpoints at all. */
export const tenantsWithWebhooks = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */
  WHERE use_advanced_webhooks OR use_webhook_service`;

/**
 * SQL: the endpoints of these tenants that take deliveries, basic webhooks included, with what
 * decides which events they receive. Events up to `start_sequence` were committed before the
 * endpoint was created; null filters admit all.
 */
export const targetsOf = (tenantIds: string[]): Sql => sql`
  SELECT endpoint.tenant_id, id AS endpoint_id, start_sequence, filter_types,
         endpoint.channels AS filter_channels
  FROM webhook_endpoints AS endpoint /* all tenants, background */
  JOIN service_settings AS settings ON settings.tenant_id = endpoint.tenant_id
  WHERE endpoint.tenant_id = ANY(${tenantIds}) AND NOT disabled AND use_advanced_webhooks
  UNION ALL
  SELECT tenant_id, basic.id, 0, NULL, NULL
  FROM service_settings /* all tenants, background */
  CROSS JOIN (VALUES (${BASIC_RAW}, 'rawNotificationUrl'),
                     (${BASIC_PROCESSED}, 'processedNotificationUrl')) AS basic(id, url)
  WHERE tenant_id = ANY(${tenantIds}) AND use_webhook_service
    AND COALESCE(webhook_service_config->>basic.url, '') <> ''`;

/** SQL: whether a target receives an event of its tenant (decisions section 7). */
export const receives = sql`
  event.sequence > start_sequence AND (endpoint_id <> ${BASIC_PROCESSED} OR notifies)
  AND (filter_types IS NULL OR event_type = ANY(filter_types))
  AND (filter_channels IS NULL OR channels && filter_channels)`;
