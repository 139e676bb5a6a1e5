import { sql } from '../../../platform/database/database.ts';

/** In a row of the log, each update is preceded by its length, a big-endian number of this many bytes. */
const LENGTH_BYTES = 4;

/** Returns an update with its length in front. */
export function frameUpdate(update: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + update.length);
  bytes.writeUInt32BE(update.length);
  bytes.set(update, LENGTH_BYTES);
  return bytes;
}

/** Returns updates as a row of the log has them: the newest first. @param updates the oldest first */
export const frameUpdates = (updates: readonly Uint8Array[]): Buffer =>
  Buffer.concat(updates.map(frameUpdate).reverse());

/** SQL for all updates in rows `u` of the log, as one `bytea`: a `bytea[]` would arrive as text. */
export const framedUpdates = sql`string_agg(u.updates, ''::bytea ORDER BY u.first_version DESC)`;

/** Returns the updates in `framedUpdates`, the oldest first: each builds on those before it. */
export function readFramedUpdates(bytes: Buffer | null): Buffer[] {
  const updates: Buffer[] = [];
  if (!bytes) return updates;
  let at = 0;
  while (at < bytes.length) {
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt32BE(at);
    updates.push(bytes.subarray(from, at));
  }
  return updates.reverse();
}

/** In `timedRows`, each row is preceded by its time, epoch milliseconds in this many bytes, and its length. */
const TIME_BYTES = 8;

/** SQL for rows `u` of the log with their times, the oldest first, as one value. */
export const timedRows = sql`
  string_agg(int8send((extract(epoch FROM u.created_at) * 1000)::bigint)
               || int4send(octet_length(u.updates)) || u.updates, ''::bytea ORDER BY u.first_version)`;

/** Returns those `timedRows` that are not later than `time`. */
export function rowsUpTo(rows: Buffer, time: number): Buffer {
  let end = 0;
  while (end < rows.length && rows.readBigInt64BE(end) <= time) {
    end += TIME_BYTES + LENGTH_BYTES + rows.readUInt32BE(end + TIME_BYTES);
  }
  return rows.subarray(0, end);
}

/** Returns the updates in `timedRows`, the oldest first. A worker thread gets a Buffer as a Uint8Array. */
export function updatesIn({ buffer, byteOffset, length }: Uint8Array): Buffer[] {
  const rows = Buffer.from(buffer, byteOffset, length);
  const updates: Buffer[] = [];
  let at = 0;
  while (at < rows.length) {
    const from = at + TIME_BYTES + LENGTH_BYTES;
    at = from + rows.readUInt32BE(from - LENGTH_BYTES);
    for (const update of readFramedUpdates(rows.subarray(from, at))) updates.push(update);
  }
  return updates;
}
