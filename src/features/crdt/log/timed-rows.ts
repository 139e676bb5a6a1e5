import { sql } from '../../../platform/database/database.ts';
import { readFramedUpdates } from './update-framing.ts';

/** Each row is preceded by its time, in epoch milliseconds, and its length, both big-endian numbers. */
const TIME_BYTES = 8;
const LENGTH_BYTES = 4;

/** SQL for rows `u` of the log with their times, the oldest first, as one value. */
export const timedRows = sql`
  string_agg(int8send((extract(epoch FROM u.created_at) * 1000)::bigint)
               || int4send(octet_length(u.updates)) || u.updates, ''::bytea ORDER BY u.first_version)`;

/** Returns the rows up to a time. */
export function rowsUpTo(rows: Buffer, time: number): Buffer {
  let end = 0;
  while (end < rows.length && rows.readBigInt64BE(end) <= time) {
    end += TIME_BYTES + LENGTH_BYTES + rows.readUInt32BE(end + TIME_BYTES);
  }
  return rows.subarray(0, end);
}

/** Returns the updates in all rows, the oldest first. A worker gets a Buffer as a Uint8Array. */
export function updatesIn({ buffer, byteOffset, length }: Uint8Array): Buffer[] {
  const rows = Buffer.from(buffer, byteOffset, length);
  const updates: Buffer[] = [];
  for (let at = 0; at < rows.length; ) {
    const from = at + TIME_BYTES + LENGTH_BYTES;
    at = from + rows.readUInt32BE(from - LENGTH_BYTES);
    for (const update of readFramedUpdates(rows.subarray(from, at))) updates.push(update);
  }
  return updates;
}
