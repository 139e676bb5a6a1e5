import { sql, type Transaction } from '../../platform/database/database.ts';
import { isErasureEvent } from '../../platform/erasure/erasure-event.ts';
import { hasStaleQuote, type Quote, withoutQuotes } from '../../platform/erasure/quotes.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { ERASED_CHANNEL } from '../../platform/events/event-feed.ts';

/**
 * Erases what a feature stores about erased events, such as responses of webhook receivers.
 *
 * @param sequences the numbers of the events
 */
export type EraseWithEvents = (
  tx: Transaction,
  tenantId: string,
  sequences: string[],
) => Promise<void>;

/** Anonymises stored events, which events/get and webhooks may still read. */
export const eraseInEvents = (eraseWithEvents: EraseWithEvents): ErasureStep =>
  walkRows({
    name: 'events',
    table: sql`events t`,
    key: ['sequence::bigint'],
    // All fields of a user are removed. Under `resource`, the anonymiser expects something that is not a user.
    record: sql`json_build_object('type', t.type, 'channels', t.channels,
      CASE WHEN t.type LIKE 'user.%' OR t.type = 'presence.update' THEN 'data' ELSE 'resource' END,
      t.data)`,
    set: () => sql`data = coalesce(record->'data', record->'resource'),
      channels = ARRAY(SELECT json_array_elements_text(record->'channels'))`,
    rewrite: (record, { anonymiser }) =>
      isErasureEvent(record as { type: string; data: unknown })
        ? undefined
        : anonymiser.anonymise(record),
    after: ({ tenantId }, tx, changed) => {
      const sequences = changed.map(({ key: [sequence = ''] }) => sequence);
      return eraseWithEvents(tx, tenantId, sequences);
    },
  });

/** Removes quotes whose source was deleted, since they may quote users without naming them. */
export const eraseQuotesInEvents = (quotes: readonly Quote[]): ErasureStep =>
  walkRows({
    name: 'eventQuotes',
    onlyWhenRemovingContents: true,
    table: sql`events t`,
    key: ['sequence::bigint'],
    columns: { data: 'data::json' },
    condition: () => hasStaleQuote(quotes, sql`t.type`, sql`t.data`),
    rewrite: (record) => ({ data: withoutQuotes(quotes, (record as { data: object }).data) }),
  });

/** Makes all processes drop the copies of events that they have in memory for webhooks and subscriptions. */
export const dropEventCopies: ErasureStep = {
  name: 'eventCopies',
  async run({ tenantId }, tx) {
    await tx.query(sql`SELECT pg_notify(${ERASED_CHANNEL}, ${tenantId})`);
    return { counts: {}, next: undefined };
  },
};
