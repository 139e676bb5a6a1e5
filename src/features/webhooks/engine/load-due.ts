import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { QueueKey } from './queue-store.ts';

/** Where in the order of what is due a worker goes on. */
export interface Position {
  dueAt: Date;
  sequence: string;
}

/** A delivery that is due, with its event. */
export interface DueDelivery extends QueueKey {
  createdAt: Date;
  sequence: string;
  dueAt: Date;
  failures: number;
  eventId: string;
  eventType: string;
  organizationId: string | null;
  documentId: string | null;
  channels: string[] | null;
  /** As it was stored; null when the event was removed for its age. */
  data: string | null;
}

export interface LoadOrder extends QueueKey {
  after: Position | undefined;
  limit: number;
}

const START: Position = { dueAt: new Date(0), sequence: '-1' };

/** What is due in each of these queues, in its order: one statement for all of them. */
export function loadDue(db: Queryable, orders: LoadOrder[], now: Date): Promise<DueDelivery[]> {
  const after = orders.map((order) => order.after ?? START);
  return db.query<DueDelivery>(sql`
    SELECT due.tenant_id AS "tenantId", due.endpoint_id AS "endpointId",
           due.created_at AS "createdAt", due.sequence::text, due_at AS "dueAt", failures,
           due.event_id AS "eventId", due.event_type AS "eventType",
           event.organization_id AS "organizationId", event.document_id AS "documentId",
           event.channels, event.data::text AS data
    FROM unnest(${orders.map(({ tenantId }) => tenantId)}::text[],
                ${orders.map(({ endpointId }) => endpointId)}::text[],
                ${after.map(({ dueAt }) => dueAt)}::timestamptz[],
                ${after.map(({ sequence }) => sequence)}::bigint[],
                ${orders.map(({ limit }) => limit)}::int[])
           WITH ORDINALITY AS wanted(tenant, endpoint, after_due, after_sequence, most, place)
    CROSS JOIN LATERAL (
      SELECT * FROM webhook_deliveries /* all tenants */
      WHERE tenant_id = wanted.tenant AND endpoint_id = wanted.endpoint
        AND status = 'pending' AND due_at <= ${now}
        AND (due_at, sequence) > (wanted.after_due, wanted.after_sequence)
      ORDER BY due_at, sequence LIMIT wanted.most
    ) AS due
    LEFT JOIN LATERAL (
      SELECT * FROM events
      WHERE events.tenant_id = due.tenant_id AND events.sequence = due.sequence LIMIT 1
    ) AS event ON true
    ORDER BY place, due_at, due.sequence`);
}
