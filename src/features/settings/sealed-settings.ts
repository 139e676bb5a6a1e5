import type { Services } from '../../api/context.ts';
import { isPlainUrl, sealUrl } from '../../platform/sealed-urls.ts';
import type { SealedColumn, Secrets } from '../../platform/secrets.ts';

/** The secrets among the service settings, by what their places are called. */
type SecretSetting = 'email_api_key' | 'webhook_auth_token' | UrlSetting;
type UrlSetting = 'webhook_raw_url' | 'webhook_processed_url';

const storageAddress = (tenantId: string, setting: SecretSetting) =>
  `service_settings/${tenantId}/${setting}`;

/** A secret setting as it is stored; an empty one is none. */
export const sealSetting = (
  secrets: Secrets,
  tenantId: string,
  setting: SecretSetting,
  secret: string | undefined,
): string | null => (secret ? secrets.seal(secret, storageAddress(tenantId, setting)) : null);

/** A secret setting in full; empty when there is none, or none that can be read. */
export const openSetting = (
  ctx: Pick<Services, 'secrets' | 'log'>,
  tenantId: string,
  setting: SecretSetting,
  sealed: string | null,
): string => openIfReadable(ctx, sealed, storageAddress(tenantId, setting)) ?? '';

/** The addresses among the basic webhooks' settings, as they are stored. Those not given are not. */
export const sealUrlSettings = (
  secrets: Secrets,
  tenantId: string,
  config: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(config).map(([field, url]) => {
      const setting = URL_SETTINGS[field];
      return [field, setting && url && sealUrl(secrets, url, storageAddress(tenantId, setting))];
    }),
  );

/** An address in full; empty when there is none, or none that can be read. */
export const openUrlSetting = (
  ctx: Pick<Services, 'secrets' | 'log'>,
  tenantId: string,
  setting: UrlSetting,
  stored: string,
): string => openUrlIfReadable(ctx, stored, storageAddress(tenantId, setting));

/** An address for showing it; empty when it cannot be read. */
export const openUrlIfReadable = (
  ctx: Pick<Services, 'secrets' | 'log'>,
  stored: string,
  place: string,
): string => (isPlainUrl(stored) ? stored : (openIfReadable(ctx, stored, place) ?? ''));

const URL_SETTINGS: Record<string, UrlSetting> = {
  rawNotificationUrl: 'webhook_raw_url',
  processedNotificationUrl: 'webhook_processed_url',
};

/**
 * Opens a secret. One that cannot be read (its SECRET_KEY is lost, or the row was changed by hand)
 * counts as missing and is told to the operator, since the rest must go on working without it.
 */
export function openIfReadable(
  { secrets, log }: Pick<Services, 'secrets' | 'log'>,
  sealed: string | null,
  place: string,
): string | undefined {
  if (sealed === null) return undefined;
  try {
    return secrets.open(sealed, place);
  } catch (error) {
    log.warn({ place, err: error }, 'A stored secret cannot be opened and counts as missing.');
    return undefined;
  }
}

const sealedColumn = (setting: SecretSetting): SealedColumn => ({
  table: 'service_settings',
  column: `sealed_${setting}`,
  key: ['tenant_id'],
  storageAddress: (tenantId) => storageAddress(String(tenantId), setting),
});

export const SEALED_SETTINGS: readonly SealedColumn[] = [
  sealedColumn('email_api_key'),
  sealedColumn('webhook_auth_token'),
  ...Object.entries(URL_SETTINGS).map(
    ([field, setting]): SealedColumn => ({
      table: 'service_settings',
      column: 'webhook_service_config',
      field,
      mayBePlain: true,
      key: ['tenant_id'],
      storageAddress: (tenantId) => storageAddress(String(tenantId), setting),
    }),
  ),
];
