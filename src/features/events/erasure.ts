import { sql } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { isStaleQuote, withoutQuote } from './stale-quotes.ts';

/** Anonymises the event log, which events/get and webhooks read for as long as it is kept. */
export const erasedInEvents = walkRows({
  name: 'events',
  table: sql`events t`,
  key: [[sql`t.sequence`, sql`bigint`]],
  record: sql`json_build_object('type', t.type, 'channels', t.channels, 'data', t.data)`,
  set: () => sql`data = record->'data',
    channels = ARRAY(SELECT json_array_elements_text(record->'channels'))`,
  keeps: (record) => isErasureEvent(record as { type: string; data: unknown }),
  // A receiver may have answered with what it was sent.
  after: async ({ tenantId }, tx, changed) => {
    await tx.query(sql`
      UPDATE webhook_attempts SET excerpt = NULL
      WHERE tenant_id = ${tenantId} AND excerpt IS NOT NULL
        AND sequence = ANY(${changed.map(({ key: [sequence = ''] }) => sequence)}::bigint[])
        AND endpoint_id IN (SELECT endpoint_id FROM webhook_queues WHERE tenant_id = ${tenantId})`);
  },
});

/**
 * Used when erasure removes content: events may quote users without naming them. Removes quotes
 * that the event's notification or alert no longer contains.
 */
export const quotedInEvents = walkRows({
  name: 'eventQuotes',
  onlyRemoving: true,
  table: sql`events t`,
  key: [[sql`t.sequence`, sql`bigint`]],
  record: sql`json_build_object('data', t.data)`,
  set: () => sql`data = record->'data'`,
  finds: () => isStaleQuote(sql`t.type`, sql`t.data`),
  rewrite: (record) => ({ data: withoutQuote((record as { data: object }).data) }),
});
