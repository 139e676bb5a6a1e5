import { sql } from '../../platform/database/database.ts';
import { walkRows } from '../erasure/walk-rows.ts';
import { isErasureEvent } from '../users/erasure-event.ts';

/** The log is read for as long as it is kept, by events/get and by what delivers events. */
export const erasedInEvents = walkRows({
  name: 'events',
  table: sql`events t`,
  key: [[sql`t.sequence`, sql`bigint`]],
  record: sql`json_build_object('type', t.type, 'channels', t.channels, 'data', t.data)`,
  set: () => sql`data = record->'data',
    channels = ARRAY(SELECT json_array_elements_text(record->'channels'))`,
  keeps: (record) => isErasureEvent(record as { type: string; data: unknown }),
});
