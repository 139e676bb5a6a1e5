import { setTimeout as delay } from 'node:timers/promises';

/** Waits, but no longer than until the signal. */
export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
