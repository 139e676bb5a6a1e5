const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/** The delay before the next attempt. It is random, so that not all clients come back at once. */
export function retryDelayMs(attempt: number, retryAfterMs = 0): number {
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return Math.max(retryAfterMs, backoff * (0.5 + Math.random() / 2));
}

/** Resolves after this time. Rejects with the signal's reason if the signal fires first. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Waits for work. Rejects with the signal's reason if the signal fires first. */
export const unlessAborted = (
  work: Promise<void> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', abort));
  });

/** Does the same as the signal's own method, which React Native does not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new Error('This operation was aborted');
}

/**
 * Returns a controller that aborts as soon as one of the signals does. When done, the caller must abort it, which
 * removes its listeners from the signals. `AbortSignal.any` would do the same, but React Native does not have it.
 */
export function linkedController(
  ...signals: Array<AbortSignal | null | undefined>
): AbortController {
  const linked = new AbortController();
  for (const signal of signals) {
    const abort = () => linked.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    linked.signal.addEventListener('abort', () => signal?.removeEventListener('abort', abort));
  }
  const fired = signals.find((signal) => signal?.aborted);
  if (fired) linked.abort(fired.reason);
  return linked;
}
