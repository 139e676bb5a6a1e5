import { sql } from '../../../platform/database/database.ts';

/** Each update is preceded by its length, as a big-endian number of this many bytes. */
const LENGTH_BYTES = 4;

/** Returns an update with its length in front. The log keeps newer updates before older ones. */
export function frameUpdate(update: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + update.length);
  bytes.writeUInt32BE(update.length);
  bytes.set(update, LENGTH_BYTES);
  return bytes;
}

/** SQL for all updates in rows `u` of the log, as one value: an array of bytes would arrive as text. */
export const framedUpdates = sql`string_agg(u.updates, ''::bytea ORDER BY u.first_version DESC)`;

/** Returns the framed updates, the oldest first, since each builds on those before it. */
export function readFramedUpdates(bytes: Buffer | null): Buffer[] {
  const updates: Buffer[] = [];
  if (!bytes) return updates;
  for (let at = 0; at < bytes.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt32BE(at);
    updates.push(bytes.subarray(from, at));
  }
  return updates.reverse();
}
