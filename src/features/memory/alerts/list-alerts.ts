import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { type AlertRow, alertColumns, presentAlert } from './alert-row.ts';
import type { PresentedAlert } from './schema.ts';

/** Specification part 8. */
const MAX_ALERTS = 50;

/** Lists the active alerts, the gravest and newest first (4.7). */
export async function listAlerts({
  db,
  tenantId,
}: Pick<KeyContext, 'db' | 'tenantId'>): Promise<PresentedAlert[]> {
  const rows = await db.query<AlertRow>(sql`
    SELECT ${alertColumns} FROM memory_alerts
    WHERE tenant_id = ${tenantId} AND status = 'active'
    ORDER BY memory_alerts.severity DESC, memory_alerts.created_ms DESC,
             memory_alerts.alert_id DESC
    LIMIT ${MAX_ALERTS}`);
  return rows.map((row) => presentAlert(tenantId, row));
}
