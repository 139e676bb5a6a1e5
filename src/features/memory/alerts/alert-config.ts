import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import {
  ALERT_TYPES,
  type AlertConfig,
  gravityOf,
  severityOf,
  type UpdateAlertConfigInput,
} from './schema.ts';

type Context = Pick<KeyContext, 'db' | 'tenantId'>;

type ConfigRow = Omit<AlertConfig, 'severityThreshold'> & { severityThreshold: number };

/** A configuration without types has all of them. */
const COLUMNS: Sql = sql`
  enabled, max_alerts_per_week AS "maxAlertsPerWeek",
  COALESCE(enabled_alert_types, ${[...ALERT_TYPES]}::text[]) AS "enabledAlertTypes",
  severity_threshold AS "severityThreshold"`;

/** The configuration of a key that has none. */
const DEFAULTS: ConfigRow = {
  enabled: true,
  maxAlertsPerWeek: 3,
  enabledAlertTypes: [...ALERT_TYPES],
  severityThreshold: 1,
};

/** Returns the configuration of a key's alerts. */
export async function getAlertConfig({
  db,
  tenantId,
}: {
  db: Queryable;
  tenantId: string;
}): Promise<AlertConfig> {
  const [row = DEFAULTS] = await db.query<ConfigRow>(sql`
    SELECT ${COLUMNS} FROM memory_watches WHERE tenant_id = ${tenantId}`);
  return present(row);
}

/** Changes the given fields. */
export async function updateAlertConfig(
  { db, tenantId }: Context,
  change: UpdateAlertConfigInput,
): Promise<AlertConfig> {
  const { enabled, maxAlertsPerWeek, severityThreshold } = change;
  const types = change.enabledAlertTypes && [...new Set(change.enabledAlertTypes)];
  const gravity = severityThreshold && gravityOf(severityThreshold);
  const [row = DEFAULTS] = await db.write<ConfigRow>(sql`
    INSERT INTO memory_watches AS watch (tenant_id, enabled, max_alerts_per_week,
      enabled_alert_types, severity_threshold)
    VALUES (${tenantId}, COALESCE(${enabled}::boolean, ${DEFAULTS.enabled}),
      COALESCE(${maxAlertsPerWeek}::int, ${DEFAULTS.maxAlertsPerWeek}), ${types}::text[],
      COALESCE(${gravity}::smallint, ${DEFAULTS.severityThreshold}))
    ON CONFLICT (tenant_id) DO UPDATE SET
      enabled = COALESCE(${enabled}::boolean, watch.enabled),
      max_alerts_per_week = COALESCE(${maxAlertsPerWeek}::int, watch.max_alerts_per_week),
      enabled_alert_types = COALESCE(${types}::text[], watch.enabled_alert_types),
      severity_threshold = COALESCE(${gravity}::smallint, watch.severity_threshold)
    RETURNING ${COLUMNS}`);
  return present(row);
}

const present = (row: ConfigRow): AlertConfig => ({
  ...row,
  severityThreshold: severityOf(row.severityThreshold),
});
