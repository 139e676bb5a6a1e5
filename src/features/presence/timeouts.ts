/** Presence that was not renewed for this long is shown as offline (specification 4.10). */
export const TIMEOUT_MS = 60_000;
/**
 * The same for the connections of a process. It is shorter, so that users of a process that crashed
 * are offline within a minute.
 */
export const CONNECTION_TIMEOUT_MS = 50_000;
/** An entry that was not renewed for this long is not shown any more. */
const GONE_MS = 10 * 60_000;

/** An entry that was last renewed at or before this time is offline. */
export const timedOutBefore = (now: number): Date => new Date(now - TIMEOUT_MS);
/** Connections of a process that was last renewed at or before this time have ended. */
export const disconnectedBefore = (now: number): Date => new Date(now - CONNECTION_TIMEOUT_MS);
/** An entry that was last renewed at or before this time is not shown any more. */
export const goneBefore = (now: number): Date => new Date(now - GONE_MS);
