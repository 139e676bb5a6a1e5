import { sql } from '../../platform/database/database.ts';
import { type BacklogQueue, MAX_COUNTED } from '../../platform/processes/backlog.ts';

/** Mails whose time has come. */
export const mailQueue: BacklogQueue = {
  name: 'mails',
  rows: (now) => sql`
    SELECT count(*)::int AS waiting, min(due_at) AS since FROM (
      SELECT due_at FROM mails WHERE state = 'waiting' AND due_at <= ${now}
      ORDER BY due_at LIMIT ${MAX_COUNTED}) AS counted`,
};
