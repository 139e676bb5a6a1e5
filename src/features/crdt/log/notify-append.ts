import { type Database, type Sql, sql } from '../../../platform/database/database.ts';

/** Where processes that share nothing but the database hear that a log has gone on. */
export const APPEND_CHANNEL = 'crdt_updates';

/** SQL: notifies the others, once the transaction is committed. */
export const notifyAppend = ({ id }: Database, logId: Sql): Sql =>
  sql`pg_notify(${APPEND_CHANNEL}, ${`${id} `} || ${logId})::text`;

/** The log that another process has added to; nothing for what this one has done itself. */
export function appendedLogOf({ id }: Database, payload: string): string | undefined {
  const [sender, logId] = payload.split(' ');
  return sender === id ? undefined : logId;
}
