const ACTIVE_MS = 120_000;
let lastActAt = Date.now();

for (const name of ['pointerdown', 'keydown', 'wheel']) {
  addEventListener(name, () => (lastActAt = Date.now()), { passive: true, capture: true });
}

/** Whether the person did something lately. A page that refreshes itself keeps no session alive. */
export const isPersonActive = (): boolean => Date.now() - lastActAt < ACTIVE_MS;
