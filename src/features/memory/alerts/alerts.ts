import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import {
  ALERT_TYPES,
  type AlertConfig,
  type DismissAlertInput,
  type PresentedAlert,
  SEVERITIES,
  severityRank,
  type UpdateAlertConfigInput,
} from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'tenantId'>;

export type AlertRow = Omit<PresentedAlert, 'suggestedAction'> & { suggestedAction: string | null };

export const alertColumns = sql`
  alert_id AS id, tenant_id AS "apiKey", alert_type AS "alertType",
  (${[...SEVERITIES]}::text[])[severity] AS severity, title, description, evidence,
  suggested_action AS "suggestedAction", action_url AS "actionUrl", status,
  created_ms::float8 AS "createdAt", dismissed_ms::float8 AS "dismissedAt",
  dismissed_by AS "dismissedBy"`;

export const presentAlert = ({ suggestedAction, ...row }: AlertRow): PresentedAlert => ({
  ...row,
  ...(suggestedAction !== null && { suggestedAction }),
});

/** The most alerts in a list (specification part 8). */
const MAX_ALERTS = 50;

/** Lists the active alerts, the most severe and newest first (specification 4.7). */
export async function listAlerts({ db, tenantId }: Context): Promise<PresentedAlert[]> {
  const rows = await db.query<AlertRow>(sql`
    SELECT ${alertColumns} FROM memory_alerts
    WHERE tenant_id = ${tenantId} AND status = 'active'
    ORDER BY memory_alerts.severity DESC, memory_alerts.created_ms DESC,
             memory_alerts.alert_id DESC
    LIMIT ${MAX_ALERTS}`);
  return rows.map(presentAlert);
}

/**
 * Dismisses an alert and stores when and by whom. Dismissing it again changes nothing.
 *
 * @throws NOT_FOUND
 */
export async function dismissAlert(
  { db, clock, tenantId }: Pick<KeyContext, 'db' | 'clock' | 'tenantId'>,
  { alertId, user }: DismissAlertInput,
): Promise<{ success: true }> {
  const found = await db.write(sql`
    UPDATE memory_alerts SET
      status = 'dismissed',
      dismissed_by = CASE WHEN status = 'active' THEN ${user ?? null}::jsonb ELSE dismissed_by END,
      dismissed_ms = CASE WHEN status = 'active' THEN ${clock.now()}::bigint ELSE dismissed_ms END
    WHERE tenant_id = ${tenantId} AND alert_id = ${alertId}
    RETURNING 1 AS found`);
  if (found.length === 0) throw new AppError('NOT_FOUND', 'The alert does not exist.');
  return { success: true };
}

/** The configuration of a key that has none. */
const DEFAULT_CONFIG: AlertConfig = {
  enabled: true,
  maxAlertsPerWeek: 3,
  enabledAlertTypes: [...ALERT_TYPES],
  severityThreshold: 'low',
};

/** SQL for the columns of a configuration. If no types are stored, all types are enabled. */
const configColumns = sql`
  enabled, max_alerts_per_week AS "maxAlertsPerWeek",
  COALESCE(enabled_alert_types, ${[...ALERT_TYPES]}::text[]) AS "enabledAlertTypes",
  (${[...SEVERITIES]}::text[])[severity_threshold] AS "severityThreshold"`;

export async function getAlertConfig(ctx: {
  db: Queryable;
  tenantId: string;
}): Promise<AlertConfig> {
  const [config = DEFAULT_CONFIG] = await ctx.db.query<AlertConfig>(sql`
    SELECT ${configColumns} FROM memory_watches WHERE tenant_id = ${ctx.tenantId}`);
  return config;
}

export async function updateAlertConfig(
  { db, tenantId }: Context,
  { enabled, maxAlertsPerWeek, enabledAlertTypes, severityThreshold }: UpdateAlertConfigInput,
): Promise<AlertConfig> {
  const types = enabledAlertTypes && [...new Set(enabledAlertTypes)];
  const thresholdRank = severityThreshold && severityRank(severityThreshold);
  const [config = DEFAULT_CONFIG] = await db.write<AlertConfig>(sql`
    INSERT INTO memory_watches AS watch (tenant_id, enabled, max_alerts_per_week,
      enabled_alert_types, severity_threshold)
    VALUES (${tenantId}, COALESCE(${enabled}::boolean, ${DEFAULT_CONFIG.enabled}),
      COALESCE(${maxAlertsPerWeek}::int, ${DEFAULT_CONFIG.maxAlertsPerWeek}), ${types}::text[],
      COALESCE(${thresholdRank}::smallint, ${severityRank(DEFAULT_CONFIG.severityThreshold)}))
    ON CONFLICT (tenant_id) DO UPDATE SET
      enabled = COALESCE(${enabled}::boolean, watch.enabled),
      max_alerts_per_week = COALESCE(${maxAlertsPerWeek}::int, watch.max_alerts_per_week),
      enabled_alert_types = COALESCE(${types}::text[], watch.enabled_alert_types),
      severity_threshold = COALESCE(${thresholdRank}::smallint, watch.severity_threshold)
    RETURNING ${configColumns}`);
  return config;
}
