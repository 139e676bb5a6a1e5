import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { attemptAll } from '../../../platform/loops/attempt-all.ts';
import { getNotificationConfig } from '../settings/notification-config.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { countEventsAtOnce } from './audience.ts';
import { currentEvents } from './current-events.ts';
import { notify } from './notify.ts';

type Timing = Pick<NotificationConfig, 'delay' | 'batching'>;

/** Events of one annotation that wait together. Without batching, each event waits alone. */
interface Batch {
  annotationId: string;
  /** The first event, which identifies the batch. */
  eventId: string;
  openedMs: number;
  dueMs: number;
  /** The positions of the events in the log. */
  sequences: string[];
}

/** Whether notifications wait: for the delay, or for other events to be batched with them. */
export const isDeferred = ({ delay, batching }: Timing): boolean =>
  delay.isEnabled || batching.isEnabled;

/**
 * Stores events until their notification is due. Without batching each event waits for the delay.
 * With batching, events of one annotation wait together until the window that the first one opened
 * ends, or until the batch is full, and then for the delay. Runs at most two statements for any number
 * of events.
 */
export async function batchEvents(
  tx: Transaction,
  tenantId: string,
  { delay, batching }: Timing,
  events: AnnotationEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const limits = {
    delayMs: delay.isEnabled ? delay.delaySeconds * 1000 : 0,
    windowMs: batching.isEnabled ? batching.windowSeconds * 1000 : 0,
    maxEvents: batching.isEnabled ? batching.maxNotifications : 1,
  };
  const openBatches = batching.isEnabled
    ? await lockOpenBatches(tx, tenantId, limits.windowMs, events)
    : new Map<string, Batch>();
  const changed = addToBatches(openBatches, events, limits);
  await tx.query(sql`
    INSERT INTO held_notifications
      (tenant_id, annotation_id, event_id, opened_ms, due_ms, sequences)
    SELECT ${tenantId}, "annotationId", "eventId", "openedMs", "dueMs", sequences
    FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS batch(
      "annotationId" text, "eventId" text, "openedMs" bigint, "dueMs" bigint, sequences bigint[])
    ORDER BY "annotationId", "eventId"
    ON CONFLICT (tenant_id, annotation_id, event_id) DO UPDATE SET
      due_ms = excluded.due_ms, sequences = excluded.sequences`);
}

/** Adds events to the open batches of their annotations, or to new ones. Returns the changed batches. */
function addToBatches(
  openBatches: Map<string, Batch>,
  events: AnnotationEvent[],
  { delayMs, windowMs, maxEvents }: { delayMs: number; windowMs: number; maxEvents: number },
): Batch[] {
  const changed = new Set<Batch>();
  for (const { id: eventId, sequence, data, createdAt } of events) {
    const { annotationId } = data;
    const createdMs = createdAt.getTime();
    let batch = openBatches.get(annotationId);
    if (!batch || createdMs >= batch.openedMs + windowMs || batch.sequences.length >= maxEvents) {
      const dueMs = createdMs + windowMs + delayMs;
      batch = { annotationId, eventId, openedMs: createdMs, dueMs, sequences: [] };
      openBatches.set(annotationId, batch);
    }
    if (batch.sequences.includes(sequence)) continue;
    batch.sequences.push(sequence);
    if (batch.sequences.length >= maxEvents) batch.dueMs = createdMs + delayMs;
    changed.add(batch);
  }
  return [...changed];
}

/** Locks open batches, so that none is released while events are added. Returns each annotation's last one. */
async function lockOpenBatches(
  tx: Transaction,
  tenantId: string,
  windowMs: number,
  events: AnnotationEvent[],
): Promise<Map<string, Batch>> {
  const oldest = Math.min(...events.map(({ createdAt }) => createdAt.getTime()));
  const rows = await tx.query<Batch>(sql`
    SELECT annotation_id AS "annotationId", event_id AS "eventId", opened_ms::float8 AS "openedMs",
           due_ms::float8 AS "dueMs", sequences::text[] AS sequences
    FROM held_notifications
    WHERE tenant_id = ${tenantId}
      AND annotation_id = ANY(${events.map(({ data }) => data.annotationId)})
      AND opened_ms > ${oldest - windowMs}::bigint
    ORDER BY annotation_id, event_id FOR UPDATE`);
  const lastOf = ({ sequences }: Batch) => Number(sequences.at(-1) ?? 0);
  const inOrder = rows.toSorted((one, other) => lastOf(one) - lastOf(other));
  return new Map(inOrder.map((row) => [row.annotationId, row]));
}

/** The most batches that one transaction releases; fewer if they have large audiences. */
const MAX_BATCHES = 50;

/** SQL: the time at which the first batch is due, in epoch milliseconds. */
export const nextBatchDue = () => sql`SELECT min(due_ms) FROM held_notifications`;

/**
 * Sends the notifications of the batches that are due. Several processes share the batches, so a process
 * that has died delays none of them. Access, read marks, deletions and the key's configuration are
 * judged as they are at the time of release.
 */
export async function releaseBatches(services: Services): Promise<void> {
  let tenants = await services.db.query<{ tenantId: string }>(sql`
    SELECT DISTINCT tenant_id AS "tenantId" FROM held_notifications /* all tenants, background */
    WHERE due_ms <= ${services.clock.now()}::bigint`);
  // Tenants take turns, so that many batches of one tenant do not delay those of the others.
  while (tenants.length > 0) {
    const unfinished: typeof tenants = [];
    await attemptAll(tenants, async (tenant) => {
      if (await releaseSome(services, tenant.tenantId)) unfinished.push(tenant);
    });
    tenants = unfinished;
  }
}

/** Releases some batches of a tenant. Returns whether more of them may be due. */
const releaseSome = (services: Services, tenantId: string): Promise<boolean> =>
  services.db.transaction(async (tx) => {
    const due = await tx.query<Pick<Batch, 'annotationId' | 'eventId' | 'sequences'>>(sql`
      SELECT annotation_id AS "annotationId", event_id AS "eventId", sequences::text[] AS sequences
      FROM held_notifications
      WHERE tenant_id = ${tenantId} AND due_ms <= ${services.clock.now()}::bigint
      ORDER BY due_ms LIMIT ${MAX_BATCHES} FOR UPDATE SKIP LOCKED`);
    const { useNotificationService, triggers } = await getNotificationConfig({ db: tx, tenantId });
    // Notifications with the same time are listed in the order in which they are written.
    const inOrder = due.toSorted(
      (one, other) => Number(one.sequences[0]) - Number(other.sequences[0]),
    );
    const sequences = useNotificationService ? inOrder.flatMap((batch) => batch.sequences) : [];
    const current = await currentEvents(tx, tenantId, sequences);
    const bySequence = new Map(current.map((event) => [event.sequence, event]));
    const eventsOf = (batch: Pick<Batch, 'sequences'>) =>
      batch.sequences.flatMap((sequence) => bySequence.get(sequence) ?? []);
    const eventsAtOnce = await countEventsAtOnce(tx, inOrder.flatMap(eventsOf));
    let eventCount = 0;
    const released = inOrder.filter((batch, index) => {
      eventCount += eventsOf(batch).length;
      return index === 0 || eventCount <= eventsAtOnce;
    });
    await tx.query(sql`
      DELETE FROM held_notifications
      WHERE tenant_id = ${tenantId} AND (annotation_id, event_id) IN (
        SELECT * FROM unnest(${released.map(({ annotationId }) => annotationId)}::text[],
                             ${released.map(({ eventId }) => eventId)}::text[]))`);
    const batches = released.map(eventsOf);
    await notify(services, tx, { tenantId, triggers, batches, haveWaited: true });
    return released.length < due.length || due.length === MAX_BATCHES;
  });
