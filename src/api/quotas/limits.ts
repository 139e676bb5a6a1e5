import { sql } from '../../platform/database/database.ts';

/** The most stored bytes, and the most emails and model tokens in a UTC day. 0 means unlimited. */
export interface QuotaSettings {
  storageBytes: number;
  mailsPerDay: number;
  modelTokensPerDay: number;
}

/** The quotas that an administrator has set for one key. Null means the server's default. */
export type OwnQuotas = { [Name in keyof QuotaSettings]: number | null };

/** The names of quotas in headers and in `error.details.quota`. */
export const QUOTA_NAMES = ['storage', 'mails', 'model-tokens'] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/** The effective quotas of a key. Absent quotas do not limit it. */
export type Limits = Partial<Record<QuotaName, number>>;

/** SQL for the quotas of the API key `k`. */
export const ownQuotas = sql`json_build_object(
  'storageBytes', k.quota_storage_bytes, 'mailsPerDay', k.quota_mails_per_day,
  'modelTokensPerDay', k.quota_model_tokens_per_day) AS quotas`;

/** Returns the effective quotas; undefined for a key without any. */
export function limitsOf(defaults: QuotaSettings, keySettings: OwnQuotas): Limits | undefined {
  const storage = keySettings.storageBytes ?? defaults.storageBytes;
  const mails = keySettings.mailsPerDay ?? defaults.mailsPerDay;
  const modelTokens = keySettings.modelTokensPerDay ?? defaults.modelTokensPerDay;
  if (storage === 0 && mails === 0 && modelTokens === 0) return undefined;
  return {
    storage: storage || undefined,
    mails: mails || undefined,
    'model-tokens': modelTokens || undefined,
  };
}
