import { setTimeout as delay } from 'node:timers/promises';

export const wait = (ms: number): Promise<void> => delay(ms);

/** Waits for work, but no longer than this many milliseconds. */
export async function waitFor(work: Promise<unknown>, ms: number): Promise<void> {
  const done = new AbortController();
  const deadline = delay(ms, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, deadline]);
  done.abort();
}
