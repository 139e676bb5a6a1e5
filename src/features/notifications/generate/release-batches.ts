import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { notificationConfigs } from '../settings/notification-config.ts';
import { currentEvents } from './current-events.ts';
import { notify } from './notify.ts';

type Parts = Pick<Services, 'db' | 'events' | 'clock'>;

/** The number of batches that one transaction releases. */
const MAX_BATCHES = 50;

/** SQL: the time at which the first batch is due. */
export const nextBatchDue = () => sql`SELECT min(due_ms) FROM held_notifications`;

/**
 * Notifies of the batches that are due. Several processes share the batches; those of a process that
 * died are released by another. Access, read marks, deletions and the key's configuration count as
 * they are at the time of release.
 */
export async function releaseBatches(parts: Parts): Promise<void> {
  while ((await releaseSome(parts)) === MAX_BATCHES);
}

const releaseSome = (parts: Parts): Promise<number> =>
  parts.db.transaction(async (tx) => {
    const taken = await tx.query<{ tenantId: string; sequences: string[] }>(sql`
      DELETE FROM held_notifications h /* all tenants, background */
      USING (
        SELECT tenant_id, annotation_id, event_id FROM held_notifications
        WHERE due_ms <= ${parts.clock.now()}::bigint
        ORDER BY due_ms LIMIT ${MAX_BATCHES} FOR UPDATE SKIP LOCKED
      ) AS due
      WHERE h.tenant_id = due.tenant_id AND h.annotation_id = due.annotation_id
        AND h.event_id = due.event_id
      RETURNING h.tenant_id AS "tenantId", h.sequences::text[] AS sequences`);
    // Notifications of one moment are listed in the order in which they are written.
    const due = taken.toSorted(
      (one, other) => Number(one.sequences[0]) - Number(other.sequences[0]),
    );
    const byTenant = Map.groupBy(due, ({ tenantId }) => tenantId);
    const configs = await notificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, { useNotificationService, triggers }] of configs) {
      if (!useNotificationService) continue;
      const batches = (byTenant.get(tenantId) ?? []).map(({ sequences }) => sequences);
      const current = await currentEvents(tx, tenantId, batches.flat());
      const bySequence = new Map(current.map((event) => [event.sequence, event]));
      const threads = batches.map((batch) => batch.flatMap((each) => bySequence.get(each) ?? []));
      await notify(parts, tx, { tenantId, triggers, threads, haveWaited: true });
    }
    return due.length;
  });
