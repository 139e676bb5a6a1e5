import type { PresentedPresence } from './schema.ts';

/** Presence that was not renewed for this long is shown as offline (4.10). */
export const TIMEOUT_MS = 60_000;
/** Shorter for connections, so that users of a process that died are offline within a minute. */
export const CONNECTION_TIMEOUT_MS = 50_000;
/** After this time the entry is not shown any more. */
const GONE_MS = 10 * 60_000;

/** An entry that was last renewed at or before this time is offline. */
export const timedOutBefore = (now: number): Date => new Date(now - TIMEOUT_MS);
/** Connections of a process that was last renewed at or before this time have ended. */
export const disconnectedBefore = (now: number): Date => new Date(now - CONNECTION_TIMEOUT_MS);
export const goneBefore = (now: number): Date => new Date(now - GONE_MS);

export interface PresenceRow {
  userId: string;
  name: string | null;
  email: string | null;
  /** The status that was set last; null for a user who is only connected. */
  status: string | null;
  seenAt: Date | null;
  isConnected: boolean;
}

/** A presence user (2.15), without the fields that are unknown. */
export const presentPresence = (row: PresenceRow, now: number): PresentedPresence => ({
  userId: row.userId,
  ...(row.name !== null && { name: row.name }),
  ...(row.email !== null && { email: row.email }),
  status: statusOf(row, now),
});

/** A status that was set holds until its timeout, for connected users too. */
function statusOf({ status, seenAt, isConnected }: PresenceRow, now: number): string {
  if (status !== null && seenAt !== null && seenAt > timedOutBefore(now)) return status;
  return isConnected ? 'online' : 'offline';
}
