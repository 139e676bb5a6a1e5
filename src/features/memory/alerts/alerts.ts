import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { type DismissAlertInput, type PresentedAlert, severityOf } from './schema.ts';

type AlertRow = Omit<PresentedAlert, 'severity' | 'suggestedAction'> & {
  severity: number;
  suggestedAction: string | null;
};

/** Specification part 8. */
const MAX_ALERTS = 50;

/** Lists the active alerts, the gravest and newest first (4.7). */
export async function listAlerts({
  db,
  tenantId,
}: Pick<KeyContext, 'db' | 'tenantId'>): Promise<PresentedAlert[]> {
  const rows = await db.query<AlertRow>(sql`
    SELECT alert_id AS id, tenant_id AS "apiKey", alert_type AS "alertType", severity, title,
      description, evidence, suggested_action AS "suggestedAction", action_url AS "actionUrl",
      status, created_ms::float8 AS "createdAt", dismissed_ms::float8 AS "dismissedAt",
      dismissed_by AS "dismissedBy"
    FROM memory_alerts
    WHERE tenant_id = ${tenantId} AND status = 'active'
    ORDER BY memory_alerts.severity DESC, memory_alerts.created_ms DESC,
             memory_alerts.alert_id DESC
    LIMIT ${MAX_ALERTS}`);
  return rows.map(({ severity, suggestedAction, ...row }) => ({
    ...row,
    severity: severityOf(severity),
    ...(suggestedAction !== null && { suggestedAction }),
  }));
}

/**
 * Dismisses an alert and stores when and by whom. A dismissed alert stays as it is.
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

/** The event of an alert, which belongs to the organization that the alert is about. */
export function alertEvent(alert: PresentedAlert): NewEvent {
  const { organizationId } = alert.evidence;
  return {
    type: 'memory.alert',
    ...(organizationId !== undefined && { organizationId }),
    channels: organizationId === undefined ? [] : [`organization:${organizationId}`],
    data: alert,
  };
}
