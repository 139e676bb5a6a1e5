import { sql } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { isStaleQuote, withoutQuote } from './stale-quotes.ts';

/** The log is read for as long as it is kept, by events/get and by what delivers events. */
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
 * Where what users wrote goes too: events quote it without naming them. What a notification does not
 * say any more, and what no alert tells any more, is taken out of the events that told of them.
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
