/** Statements that write webhook endpoints and their deliveries. */

/** Endpoints that want what nobody does, with deliveries in the past. */
export const endpoints = (count: string): string[] => [
  `INSERT INTO service_settings (tenant_id, use_advanced_webhooks) VALUES (:tenant, true)`,
  `INSERT INTO webhook_endpoints
     (tenant_id, id, url, filter_types, sealed_secret, start_sequence, created_at, updated_at)
   SELECT :tenant, 'endpoint-' || n, 'https://example.com/' || n, '{folder.delete}', '', 0, now(), now()
   FROM generate_series(0, ${count} - 1) AS n`,
];
