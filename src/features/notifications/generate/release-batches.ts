import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { enabledNotificationConfigs } from '../settings/notification-config.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import { isAnnotationEvent } from './annotation-event.ts';
import { dropStale, loadReaders } from './drop-stale.ts';
import { notify } from './notify.ts';
import { shouldNotify } from './should-notify.ts';

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

interface Released {
  tenantId: string;
  sequences: string[];
}

const releaseSome = (parts: Parts): Promise<number> =>
  parts.db.transaction(async (tx) => {
    const taken = await takeDue(tx, parts.clock.now());
    // Notifications of one moment are listed in the order in which they are written.
    const due = taken.toSorted((one, other) => firstOf(one) - firstOf(other));
    const byTenant = Map.groupBy(due, ({ tenantId }) => tenantId);
    const configs = await enabledNotificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      await release(parts, tx, { tenantId, config, due: byTenant.get(tenantId) ?? [] });
    }
    return due.length;
  });

const firstOf = ({ sequences }: Released) => Number(sequences[0]);

const takeDue = (tx: Transaction, nowMs: number): Promise<Released[]> =>
  tx.query<Released>(sql`
    DELETE FROM held_notifications h /* all tenants, background */
    USING (
      SELECT tenant_id, annotation_id, event_id FROM held_notifications
      WHERE due_ms <= ${nowMs}::bigint
      ORDER BY due_ms LIMIT ${MAX_BATCHES} FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE h.tenant_id = due.tenant_id AND h.annotation_id = due.annotation_id
      AND h.event_id = due.event_id
    RETURNING h.tenant_id AS "tenantId", h.sequences::text[] AS sequences`);

async function release(
  parts: Parts,
  tx: Transaction,
  { tenantId, config, due }: { tenantId: string; config: NotificationConfig; due: Released[] },
): Promise<void> {
  const logged = await readEvents(tx, tenantId, due);
  const notifying = logged.filter(isAnnotationEvent).filter((event) => shouldNotify(config, event));
  const current = await dropStale(tx, tenantId, notifying);
  const bySequence = new Map(current.map((event) => [event.sequence, event]));
  const threads = due.map(({ sequences }) =>
    sequences.flatMap((each) => bySequence.get(each) ?? []),
  );
  const hasRead = await loadReaders(tx, tenantId, current);
  await notify(parts, tx, { tenantId, threads, hasRead });
}

const readEvents = (tx: Transaction, tenantId: string, due: Released[]): Promise<LoggedEvent[]> =>
  tx.query<LoggedEvent>(sql`
    SELECT tenant_id AS "tenantId", sequence::text, id, type, organization_id AS "organizationId",
           document_id AS "documentId", channels, data, created_at AS "createdAt"
    FROM events
    WHERE tenant_id = ${tenantId}
      AND sequence = ANY(${due.flatMap(({ sequences }) => sequences)}::bigint[])`);
