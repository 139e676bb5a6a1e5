import { useSyncExternalStore } from 'react';

const STEP_MS = 10_000;
let now = Date.now();

/** The present time, renewed every ten seconds for everything that shows how long ago it was. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

function subscribe(onChange: () => void): () => void {
  now = Date.now();
  const timer = setInterval(() => {
    now = Date.now();
    onChange();
  }, STEP_MS);
  return () => clearInterval(timer);
}
