import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';
import { DEFAULT_TRIGGERS, mergeTriggers } from '../../settings/triggers.ts';
import type { ActivityConfig, ActivityServiceConfig, UpdateActivityConfigInput } from './schema.ts';

interface ActivityRow {
  tenantId: string;
  /** The settings that callers chose, or that enabling the log set; null if there are none yet. */
  stored: ActivityServiceConfig | null;
}

const COLUMNS = sql`tenant_id AS "tenantId", activity_service_config AS stored`;

/** SQL: the keys for which activity logs are enabled. */
export const keysWithActivityLogs = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */
  WHERE activity_service_config->'isEnabled' = 'true'`;

/** Reads the settings of several keys with one statement. */
export async function activityConfigs(
  db: Queryable,
  tenantIds: string[],
): Promise<Map<string, ActivityServiceConfig>> {
  const rows = await db.query<ActivityRow>(sql`
    SELECT ${COLUMNS} FROM service_settings /* all tenants, background */
    WHERE tenant_id = ANY(${tenantIds})`);
  return new Map(rows.map(({ tenantId, stored }) => [tenantId, present(stored)]));
}

/** Returns the settings of activity logs (specification 4.14): `{ isEnabled: false }` if never configured. */
export async function getActivityConfig(
  { tenantId }: KeyContext,
  db: Queryable,
): Promise<ActivityConfig> {
  const rows = await db.query<ActivityRow>(sql`
    SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${tenantId}`);
  return { activityServiceConfig: present(requireSettingsRow(rows).stored) };
}

/** Merges the change into the stored settings. A lock serializes concurrent updates. */
export function updateActivityConfig(
  { db, tenantId }: KeyContext,
  { activityServiceConfig: change }: UpdateActivityConfigInput,
): Promise<ActivityConfig> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<ActivityRow>(sql`
      SELECT ${COLUMNS} FROM service_settings WHERE tenant_id = ${tenantId} FOR NO KEY UPDATE`);
    const merged = merge(requireSettingsRow(rows).stored, change);
    await tx.query(sql`
      UPDATE service_settings SET activity_service_config = ${merged}
      WHERE tenant_id = ${tenantId}`);
    return { activityServiceConfig: present(merged) };
  });
}

/**
 * Merges a change into the settings. Enabling the log turns on every comment trigger and makes the log
 * immutable, unless callers have chosen otherwise. The result is stored, so enabling again changes nothing.
 */
function merge(
  stored: ActivityServiceConfig | null,
  change: Partial<ActivityServiceConfig>,
): ActivityServiceConfig {
  const isEnabled = change.isEnabled ?? stored?.isEnabled ?? false;
  const chosen = mergeTriggers(stored?.triggers ?? {}, change.triggers ?? {});
  return {
    isEnabled,
    immutable: change.immutable ?? stored?.immutable ?? (isEnabled ? true : undefined),
    triggers: isEnabled ? mergeTriggers(DEFAULT_TRIGGERS, chosen) : chosen,
  };
}

const present = (stored: ActivityServiceConfig | null): ActivityServiceConfig =>
  stored ? { ...stored, immutable: stored.immutable ?? false } : { isEnabled: false };
