import type { Services } from '../../api/context.ts';
import type { SealedColumn, Secrets } from '../../platform/secrets.ts';

/** The secrets among the service settings, by what their places are called. */
type SecretSetting = 'email_api_key' | 'webhook_auth_token';

const placeOf = (tenantId: string, setting: SecretSetting) =>
  `service_settings/${tenantId}/${setting}`;

/** A secret setting as it is stored; an empty one is none. */
export const sealSetting = (
  secrets: Secrets,
  tenantId: string,
  setting: SecretSetting,
  secret: string | undefined,
): string | null => (secret ? secrets.seal(secret, placeOf(tenantId, setting)) : null);

/** A secret setting in full; empty when there is none, or none that can be read. */
export const openSetting = (
  ctx: Pick<Services, 'secrets' | 'log'>,
  tenantId: string,
  setting: SecretSetting,
  sealed: string | null,
): string => openIfReadable(ctx, sealed, placeOf(tenantId, setting)) ?? '';

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
  placeOf: (tenantId) => placeOf(String(tenantId), setting),
});

export const SEALED_SETTINGS: readonly SealedColumn[] = [
  sealedColumn('email_api_key'),
  sealedColumn('webhook_auth_token'),
];
