import { type Database, type Sql, sql } from '../../../platform/database/database.ts';

/** Processes that share only the database learn on this channel that a log has grown. */
export const APPEND_CHANNEL = 'crdt_updates';

/** SQL that notifies other processes of an appended log once the transaction commits. */
export const notifyAppend = ({ id }: Database, logId: Sql): Sql =>
  sql`pg_notify(${APPEND_CHANNEL}, ${`${id} `} || ${logId})::text`;

/** Returns the log that another process appended to; undefined for this process's own appends. */
export function appendedLogOf({ id }: Database, payload: string): string | undefined {
  const [sender, logId] = payload.split(' ');
  return sender === id ? undefined : logId;
}
