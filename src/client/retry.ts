const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;

/** The delay before the next attempt, random so that not all clients come back at once. */
export function retryDelayMs(attempt: number, retryAfterMs = 0): number {
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return Math.max(retryAfterMs, backoff * (0.5 + Math.random() / 2));
}

/** Rejects when the signal fires. */
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

/** Like the signal's own method, which React Native does not have. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason ?? new Error('This operation was aborted');
}

/** Fires with the first of the signals. Like `AbortSignal.any`, which React Native does not have. */
export function anySignal(signals: AbortSignal[]): AbortSignal {
  const any = new AbortController();
  const abort = () => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    any.abort(signals.find(({ aborted }) => aborted)?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  return any.signal;
}
