import type { KeyContext } from '../../api/context.ts';
import { showPerson } from '../users/show-person.ts';
import type { PresentedPresence } from './schema.ts';

/** What was not renewed for so long is shown as offline (4.10). */
export const LAPSE_MS = 60_000;
/** And a connection not at all: people of a process that died are to be gone within that minute. */
export const CONNECTION_LAPSE_MS = 50_000;
/** And after so long it is gone. */
const GONE_MS = 10 * 60_000;

/** What was last seen at or before this time is offline. */
export const lapsedBefore = (now: number): Date => new Date(now - LAPSE_MS);
/** Who was last seen connected at or before this time is connected no more. */
export const disconnectedBefore = (now: number): Date => new Date(now - CONNECTION_LAPSE_MS);
export const goneBefore = (now: number): Date => new Date(now - GONE_MS);

export interface PresenceRow {
  userId: string;
  name: string | null;
  email: string | null;
  /** What was said last; null for a user who is only connected. */
  status: string | null;
  seenAt: Date | null;
  isConnected: boolean;
}

/** A presence user (2.15); what is not known is left out. */
export const presentPresence = (row: PresenceRow, now: number): PresentedPresence => ({
  userId: row.userId,
  ...(row.name !== null && { name: row.name }),
  ...(row.email !== null && { email: row.email }),
  status: statusOf(row, now),
});

/** Presence with its user as the caller is shown people; who may follow it may see the status. */
export const showPresence = (
  caller: Pick<KeyContext, 'userId'>,
  { status, ...user }: PresentedPresence,
): PresentedPresence => ({ ...showPerson(caller, user), status });

/** What was said counts while it is fresh, also of users who are connected. */
function statusOf({ status, seenAt, isConnected }: PresenceRow, now: number): string {
  if (status !== null && seenAt !== null && seenAt > lapsedBefore(now)) return status;
  return isConnected ? 'online' : 'offline';
}
