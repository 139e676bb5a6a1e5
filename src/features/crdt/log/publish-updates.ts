import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import { updateEvent } from '../update-event.ts';
import type { eventPlan } from './event-plan.ts';
import type { Pair } from './write-updates.ts';

/** A written update, and when the events of its editor are due. */
export interface Step extends Pair {
  version: number;
  plan: ReturnType<typeof eventPlan>;
}

/** Publishes the updates whose events are due. */
export async function publishUpdates(
  tx: Transaction,
  events: EventLog,
  steps: readonly Step[],
  now: Date,
): Promise<void> {
  await planEvents(tx, steps);
  const published = steps.filter(({ plan }) => plan.publish);
  for (const [tenantId, own] of Map.groupBy(published, ({ append }) => append.name.tenantId)) {
    const newEvents = own.flatMap(({ append, row, version }) => {
      const { name, content, userId = null } = append;
      const facts = { folderId: row.folderId, version, updatedAt: now, updatedBy: userId };
      return content ? [updateEvent(name, facts, content)] : [];
    });
    await events.append(tx, tenantId, newEvents);
  }
}

/** Stores changed event times. Most commits publish nothing and find an event due already. */
async function planEvents(tx: Transaction, steps: readonly Step[]): Promise<void> {
  const changed = steps.filter(
    ({ row, plan }) => plan.publish || (row.eventDueAt === null && plan.eventDueAt !== null),
  );
  if (changed.length === 0) return;
  await tx.query(sql`
    UPDATE crdt_documents c SET event_at = s.event_at, event_due_at = s.event_due_at
    FROM unnest(${changed.map(({ append }) => append.name.tenantId)}::text[],
                ${changed.map(({ row }) => row.logId)}::uuid[],
                ${changed.map(({ plan }) => plan.eventAt)}::timestamptz[],
                ${changed.map(({ plan }) => plan.eventDueAt)}::timestamptz[])
           AS s(tenant_id, log_id, event_at, event_due_at)
    WHERE c.tenant_id = s.tenant_id AND c.log_id = s.log_id`);
}
