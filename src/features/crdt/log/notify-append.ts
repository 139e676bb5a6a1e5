import { type Database, type Sql, sql } from '../../../platform/database/database.ts';

/** Processes that share only the database learn on this channel that a log has grown. */
export const APPEND_CHANNEL = 'crdt_updates';

/**
 * SQL that notifies other processes, once the transaction commits, that a log has grown. The message is
 * the id of this process, a space and the id of the log.
 */
export function notifyAppend({ id }: Database, logId: Sql): Sql {
  const sender = `${id} `;
  return sql`pg_notify(${APPEND_CHANNEL}, ${sender} || ${logId})::text`;
}

/** Returns the id of the log that another process has appended to; undefined if this process did. */
export function appendedLogOf({ id }: Database, payload: string): string | undefined {
  const [sender, logId] = payload.split(' ');
  return sender === id ? undefined : logId;
}
