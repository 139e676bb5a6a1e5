import { type Sql, sql } from '../../../platform/database/database.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { type AlertEvidence, type PresentedAlert, severityOf } from './schema.ts';

export interface AlertRow {
  alertId: string;
  alertType: string;
  severity: number;
  title: string;
  description: string;
  evidence: AlertEvidence;
  suggestedAction: string | null;
  actionUrl: string | null;
  status: string;
  createdMs: number;
  dismissedMs: number | null;
  dismissedBy: { userId: string } | null;
}

export const alertColumns: Sql = sql`
  alert_id AS "alertId", alert_type AS "alertType", severity, title, description, evidence,
  suggested_action AS "suggestedAction", action_url AS "actionUrl", status,
  created_ms::float8 AS "createdMs", dismissed_ms::float8 AS "dismissedMs",
  dismissed_by AS "dismissedBy"`;

/** The alert as read operations present it (2.13). */
export const presentAlert = (tenantId: string, row: AlertRow): PresentedAlert => ({
  id: row.alertId,
  apiKey: tenantId,
  alertType: row.alertType,
  severity: severityOf(row.severity),
  title: row.title,
  description: row.description,
  evidence: row.evidence,
  ...(row.suggestedAction !== null && { suggestedAction: row.suggestedAction }),
  actionUrl: row.actionUrl,
  status: row.status,
  createdAt: row.createdMs,
  dismissedAt: row.dismissedMs,
  dismissedBy: row.dismissedBy,
});

/** The event of an alert, which belongs to the organization that the alert is about. */
export function alertEvent(tenantId: string, row: AlertRow): NewEvent {
  const { organizationId } = row.evidence;
  return {
    type: 'memory.alert',
    ...(organizationId !== undefined && { organizationId }),
    channels: organizationId === undefined ? [] : [`organization:${organizationId}`],
    data: presentAlert(tenantId, row),
  };
}
