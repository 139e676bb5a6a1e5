import { useSyncExternalStore } from 'react';

const STEP_MS = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The present time, renewed every ten seconds for everything that shows how long ago it was. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** All share one timer: lists show many times, and replace them while one scrolls. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(renew, STEP_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function renew(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
