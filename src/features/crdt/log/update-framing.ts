import { sql } from '../../../platform/database/database.ts';

/** Bytes before each update that say how long it is, the highest first. */
const LENGTH_BYTES = 4;

/** An update as the log holds it: to be put before those that are older. */
export function frameUpdate(update: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + update.length);
  bytes.writeUInt32BE(update.length);
  bytes.set(update, LENGTH_BYTES);
  return bytes;
}

/** SQL: the updates in rows `u` of the log. In one piece, since an array of bytes comes as text. */
export const framedUpdates = sql`string_agg(u.updates, ''::bytea ORDER BY u.first_version DESC)`;

/** The updates in it, the oldest first: each builds on those before it. */
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
