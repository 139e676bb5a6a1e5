import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { DismissAlertInput } from './schema.ts';

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
