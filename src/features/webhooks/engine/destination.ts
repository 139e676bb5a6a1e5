import type { Services } from '../../../api/context.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { decryptSetting } from '../../settings/sealed-settings.ts';
import { BASIC_ENDPOINTS, BASIC_RAW } from '../basic-endpoints.ts';
import { openSecrets, urlStorageAddress } from '../endpoints/secrets.ts';
import { signedHeaders, signingKeyOf } from './sign.ts';

/** The settings that deliveries to an advanced or basic endpoint need. */
export interface SettingsRow {
  tenantId: string;
  endpointId: string;
  url: string | null;
  disabled: boolean | null;
  rateLimit: number | null;
  sealedSecret: string | null;
  sealedPreviousSecrets: string | null;
  useAdvancedWebhooks: boolean | null;
  useWebhookService: boolean | null;
  rawUrl: string | null;
  processedUrl: string | null;
  sealedAuthToken: string | null;
}

/** SQL that selects the endpoint of the row `queue` as a `SettingsRow` in JSON. */
export const settingsOf = (queue: Sql): Sql => sql`
  SELECT json_build_object(
    'tenantId', ${queue}.tenant_id, 'endpointId', ${queue}.endpoint_id,
    'url', url, 'disabled', disabled, 'rateLimit', rate_limit,
    'sealedSecret', sealed_secret, 'sealedPreviousSecrets', sealed_previous_secrets,
    'useAdvancedWebhooks', use_advanced_webhooks, 'useWebhookService', use_webhook_service,
    'rawUrl', webhook_service_config->>'rawNotificationUrl',
    'processedUrl', webhook_service_config->>'processedNotificationUrl',
    'sealedAuthToken', sealed_webhook_auth_token)
  FROM service_settings AS settings
  LEFT JOIN webhook_endpoints AS endpoint
    ON endpoint.tenant_id = ${queue}.tenant_id AND endpoint.id = ${queue}.endpoint_id
  WHERE settings.tenant_id = ${queue}.tenant_id`;

/** The URL, headers and rate limit of an endpoint's deliveries. */
export interface Destination {
  origin: string;
  path: string;
  /** Deliveries per second, or null without a limit. */
  rateLimit: number | null;
  /** Whether failures may disable the endpoint. They never disable basic webhooks, which have their own switch. */
  canBeDisabled: boolean;
  headers(id: string, nowMs: number, body: string): Record<string, string>;
}

/** @returns undefined if the endpoint is disabled, switched off or deleted */
export function destinationOf(ctx: Services, row: SettingsRow): Destination | undefined {
  return BASIC_ENDPOINTS.includes(row.endpointId)
    ? basicDestination(ctx, row)
    : advancedDestination(ctx, row);
}

/** The headers of every request, apart from its id, time and signature. */
export const COMMON_HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'collaboration-backend',
};

function advancedDestination(ctx: Services, row: SettingsRow): Destination | undefined {
  const { tenantId, endpointId, url: sealedUrl, sealedSecret, sealedPreviousSecrets } = row;
  if (sealedUrl === null || sealedSecret === null || row.disabled || !row.useAdvancedWebhooks) {
    return undefined;
  }
  const sealed = { sealedSecret, sealedPreviousSecrets };
  const { secret, previous } = openSecrets(ctx.secrets, tenantId, endpointId, sealed);
  const key = signingKeyOf(secret);
  const url = ctx.secrets.open(sealedUrl, urlStorageAddress(tenantId, endpointId));
  const previousKeys = previous.map((old) => ({ key: signingKeyOf(old.secret), until: old.until }));
  return {
    ...addressOf(url),
    rateLimit: row.rateLimit,
    canBeDisabled: true,
    headers(id, nowMs, body) {
      const valid = previousKeys.filter(({ until }) => until > nowMs).map((old) => old.key);
      const keys = [key, ...valid];
      return { ...COMMON_HEADERS, ...signedHeaders(keys, id, Math.floor(nowMs / 1000), body) };
    },
  };
}

function basicDestination(ctx: Services, row: SettingsRow): Destination | undefined {
  const isRaw = row.endpointId === BASIC_RAW;
  const setting = isRaw ? 'webhook_raw_url' : 'webhook_processed_url';
  const stored = isRaw ? row.rawUrl : row.processedUrl;
  const url = decryptSetting(ctx, row.tenantId, setting, stored);
  if (url === '' || !row.useWebhookService) return undefined;
  const token = decryptSetting(ctx, row.tenantId, 'webhook_auth_token', row.sealedAuthToken);
  // Headers consist of bytes, so characters other than ASCII are sent as UTF-8.
  const value = Buffer.from(`Basic ${token}`, 'utf8').toString('latin1');
  const authorization: Record<string, string> = token === '' ? {} : { authorization: value };
  return {
    ...addressOf(url),
    rateLimit: null,
    canBeDisabled: false,
    headers: (id, nowMs) => ({
      ...COMMON_HEADERS,
      ...authorization,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    }),
  };
}

function addressOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}
