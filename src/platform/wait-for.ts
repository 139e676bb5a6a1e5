import { setTimeout as delay } from 'node:timers/promises';

/** Awaits work for at most `ms` milliseconds. Afterwards, returns `late` while the work goes on. */
export async function waitFor<Result, Late = undefined>(
  work: Promise<Result>,
  ms: number,
  late?: Late,
): Promise<Result | Late> {
  const done = new AbortController();
  const deadline = delay(ms, late as Late, { signal: done.signal });
  // The deadline rejects when it is aborted, which is no failure.
  deadline.catch(() => undefined);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    done.abort();
  }
}

/**
 * Awaits work, unless the signal aborts first. Unlike `Promise.race`, this leaves no listener on the
 * signal after the work.
 *
 * @throws the signal's reason
 */
export function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}
