import type { Services } from '../../api/context.ts';
import type { SealedColumn, Secrets } from '../../platform/secrets.ts';

/** The secret settings, by their names in `storageAddress`, the context of their encryption. */
type SecretSetting = 'email_api_key' | 'webhook_auth_token' | UrlSetting;
type UrlSetting = 'webhook_raw_url' | 'webhook_processed_url';

const storageAddress = (tenantId: string, setting: SecretSetting) =>
  `service_settings/${tenantId}/${setting}`;

/** Encrypts a secret setting. An empty one becomes null. */
export const encryptSetting = (
  secrets: Secrets,
  tenantId: string,
  setting: SecretSetting,
  secret: string | undefined,
): string | null => (secret ? secrets.seal(secret, storageAddress(tenantId, setting)) : null);

/** Decrypts a secret setting; empty when there is none, or it cannot be decrypted. */
export const decryptSetting = (
  ctx: Pick<Services, 'secrets' | 'log'>,
  tenantId: string,
  setting: SecretSetting,
  sealed: string | null | undefined,
): string =>
  sealed ? (decryptIfPossible(ctx, sealed, storageAddress(tenantId, setting)) ?? '') : '';

/** Encrypts those URLs of the basic webhooks that are given. */
export const encryptUrlSettings = (
  secrets: Secrets,
  tenantId: string,
  config: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(config).map(([field, url]) => {
      const setting = URL_SETTINGS[field];
      return [field, setting && url && secrets.seal(url, storageAddress(tenantId, setting))];
    }),
  );

const URL_SETTINGS: Record<string, UrlSetting> = {
  rawNotificationUrl: 'webhook_raw_url',
  processedNotificationUrl: 'webhook_processed_url',
};

/**
 * Decrypts a secret. If that fails (SECRET_KEY was lost, or the row was changed by hand), logs a warning
 * and returns undefined, so that everything else keeps working.
 */
export function decryptIfPossible(
  { secrets, log }: Pick<Services, 'secrets' | 'log'>,
  sealed: string,
  address: string,
): string | undefined {
  try {
    return secrets.open(sealed, address);
  } catch (error) {
    log.warn(
      { place: address, err: error },
      'A stored secret could not be decrypted, and counts as missing.',
    );
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
      key: ['tenant_id'],
      storageAddress: (tenantId) => storageAddress(String(tenantId), setting),
    }),
  ),
];
