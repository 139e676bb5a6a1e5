import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import type { AnnotationEvent } from './annotation-event.ts';

type Timing = Pick<NotificationConfig, 'delay' | 'batching'>;

/** Events of one annotation that wait together; with a delay alone, always one event. */
interface Batch {
  annotationId: string;
  eventId: string;
  openedMs: number;
  dueMs: number;
  sequences: string[];
}

export const isDeferred = ({ delay, batching }: Timing): boolean =>
  delay.isEnabled || batching.isEnabled;

/**
 * Stores events until their notification is due. Without batching each event waits for the delay.
 * With batching, events of one annotation wait together until the window that the first one opened
 * ends, or until the batch is full, and then for the delay. Two statements, whatever the number.
 */
export async function batchEvents(
  tx: Transaction,
  tenantId: string,
  timing: Timing,
  events: AnnotationEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const open = await lockOpen(tx, tenantId, timing, events);
  const changed = new Set<Batch>();
  for (const event of events) {
    const { annotationId } = event.data;
    const before = open.get(annotationId);
    const batch = before && mayJoin(before, event, timing) ? before : openBatch(event, timing);
    join(batch, event, timing);
    open.set(annotationId, batch);
    changed.add(batch);
  }
  await save(tx, tenantId, [...changed]);
}

const waitOf = ({ isEnabled }: { isEnabled: boolean }, seconds: number) =>
  isEnabled ? seconds * 1000 : 0;
const delayMsOf = ({ delay }: Timing) => waitOf(delay, delay.delaySeconds);
const windowMsOf = ({ batching }: Timing) => waitOf(batching, batching.windowSeconds);

function openBatch({ id, data, createdAt }: AnnotationEvent, timing: Timing): Batch {
  const openedMs = createdAt.getTime();
  const dueMs = openedMs + windowMsOf(timing) + delayMsOf(timing);
  return { annotationId: data.annotationId, eventId: id, openedMs, dueMs, sequences: [] };
}

const mayJoin = ({ openedMs, sequences }: Batch, { createdAt }: AnnotationEvent, timing: Timing) =>
  createdAt.getTime() < openedMs + windowMsOf(timing) &&
  sequences.length < timing.batching.maxNotifications;

function join(batch: Batch, { sequence, createdAt }: AnnotationEvent, timing: Timing): void {
  if (batch.sequences.includes(sequence)) return;
  batch.sequences.push(sequence);
  const { isEnabled, maxNotifications } = timing.batching;
  const isFull = isEnabled && batch.sequences.length >= maxNotifications;
  if (isFull) batch.dueMs = createdAt.getTime() + delayMsOf(timing);
}

/**
 * Locks the last open batch of each annotation, so that it is not released while events join it.
 */
async function lockOpen(
  tx: Transaction,
  tenantId: string,
  timing: Timing,
  events: AnnotationEvent[],
): Promise<Map<string, Batch>> {
  if (!timing.batching.isEnabled) return new Map();
  const oldest = Math.min(...events.map(({ createdAt }) => createdAt.getTime()));
  const rows = await tx.query<Batch>(sql`
    SELECT annotation_id AS "annotationId", event_id AS "eventId", opened_ms::float8 AS "openedMs",
           due_ms::float8 AS "dueMs", sequences::text[] AS sequences
    FROM held_notifications
    WHERE tenant_id = ${tenantId}
      AND annotation_id = ANY(${events.map(({ data }) => data.annotationId)})
      AND opened_ms > ${oldest - windowMsOf(timing)}::bigint
    ORDER BY annotation_id, event_id FOR UPDATE`);
  const inOrder = rows.toSorted((a, b) => lastOf(a) - lastOf(b));
  return new Map(inOrder.map((row) => [row.annotationId, row]));
}

const lastOf = ({ sequences }: Batch) => Number(sequences.at(-1) ?? 0);

async function save(tx: Transaction, tenantId: string, batches: Batch[]): Promise<void> {
  await tx.query(sql`
    INSERT INTO held_notifications
      (tenant_id, annotation_id, event_id, opened_ms, due_ms, sequences)
    SELECT ${tenantId}, "annotationId", "eventId", "openedMs", "dueMs", sequences
    FROM jsonb_to_recordset(${JSON.stringify(batches)}::jsonb) AS batch(
      "annotationId" text, "eventId" text, "openedMs" bigint, "dueMs" bigint, sequences bigint[])
    ORDER BY "annotationId", "eventId"
    ON CONFLICT (tenant_id, annotation_id, event_id) DO UPDATE SET
      due_ms = excluded.due_ms, sequences = excluded.sequences`);
}
