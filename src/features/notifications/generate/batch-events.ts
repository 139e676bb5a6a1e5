import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import type { AnnotationEvent } from './annotation-event.ts';

type Timing = Pick<NotificationConfig, 'delay' | 'batching'>;

/** Events of one annotation that wait together. */
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
 * Puts events aside until their notification is due: each after the delay; with batching those of
 * one annotation together, once the window that the first one opened is over, or as soon as there
 * are as many as one notification may tell of. Two statements, however many events.
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
    const held = before && mayJoin(before, event, timing) ? before : opened(event, timing);
    join(held, event, timing);
    open.set(annotationId, held);
    changed.add(held);
  }
  await save(tx, tenantId, [...changed]);
}

const waitOf = ({ isEnabled }: { isEnabled: boolean }, seconds: number) =>
  isEnabled ? seconds * 1000 : 0;
const delayMsOf = ({ delay }: Timing) => waitOf(delay, delay.delaySeconds);
const windowMsOf = ({ batching }: Timing) => waitOf(batching, batching.windowSeconds);

function opened({ id, data, createdAt }: AnnotationEvent, timing: Timing): Batch {
  const openedMs = createdAt.getTime();
  const dueMs = openedMs + windowMsOf(timing) + delayMsOf(timing);
  return { annotationId: data.annotationId, eventId: id, openedMs, dueMs, sequences: [] };
}

const mayJoin = ({ openedMs, sequences }: Batch, { createdAt }: AnnotationEvent, timing: Timing) =>
  createdAt.getTime() < openedMs + windowMsOf(timing) &&
  sequences.length < timing.batching.maxNotifications;

function join(held: Batch, { sequence, createdAt }: AnnotationEvent, timing: Timing): void {
  if (held.sequences.includes(sequence)) return;
  held.sequences.push(sequence);
  const { isEnabled, maxNotifications } = timing.batching;
  const isFull = isEnabled && held.sequences.length >= maxNotifications;
  if (isFull) held.dueMs = createdAt.getTime() + delayMsOf(timing);
}

/**
 * What events of these annotations may still join: the last that was opened for each. Batch, so that
 * no sweep releases it meanwhile.
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

async function save(tx: Transaction, tenantId: string, held: Batch[]): Promise<void> {
  await tx.query(sql`
    INSERT INTO held_notifications
      (tenant_id, annotation_id, event_id, opened_ms, due_ms, sequences)
    SELECT ${tenantId}, "annotationId", "eventId", "openedMs", "dueMs", sequences
    FROM jsonb_to_recordset(${JSON.stringify(held)}::jsonb) AS held(
      "annotationId" text, "eventId" text, "openedMs" bigint, "dueMs" bigint, sequences bigint[])
    ORDER BY "annotationId", "eventId"
    ON CONFLICT (tenant_id, annotation_id, event_id) DO UPDATE SET
      due_ms = excluded.due_ms, sequences = excluded.sequences`);
}
