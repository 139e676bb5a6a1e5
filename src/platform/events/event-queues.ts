import { sql } from '../database/database.ts';
import { type BacklogQueue, MAX_COUNTED } from '../processes/backlog.ts';

/** The events that are committed and not yet in the log. */
export const outboxQueue: BacklogQueue = {
  name: 'outbox',
  rows: () => sql`
    SELECT (SELECT count(*) FROM (SELECT FROM event_outbox LIMIT ${MAX_COUNTED}) AS counted)::int
             AS waiting,
           (SELECT created_at FROM event_outbox ORDER BY position LIMIT 1) AS since`,
};

/** The events that a reader of the log has not read, whether it handles them or skips them. */
export const readerQueue = ({ name }: { name: string }): BacklogQueue => ({
  name: `reader-${name}`,
  rows: () => sql`
    SELECT LEAST(${MAX_COUNTED}, COALESCE((SELECT max(sequence) FROM events), 0) - sequence)::int
             AS waiting,
           (SELECT created_at FROM events WHERE events.sequence > event_readers.sequence
            ORDER BY events.sequence LIMIT 1) AS since
    FROM event_readers WHERE name = ${name}`,
});
