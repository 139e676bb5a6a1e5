import { CollaborationError } from './error.ts';
import { delay } from './retry.ts';

/** After this time, a refused subscription is tried again, since access may have been given. */
const REFUSED_MS = 30_000;

/**
 * Takes the items of a subscription until the signal fires. If the server refuses it, or no longer has
 * the events after the last item, calls `forget` and starts over.
 */
export async function follow<Item>(
  changes: () => AsyncIterable<{ data: Item }>,
  { take, forget, signal }: { take(item: Item): void; forget(): void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { data } of changes()) take(data);
      return;
    } catch (error) {
      forget();
      if (!(error instanceof CollaborationError)) throw error;
      if (error.status !== 'OUT_OF_RANGE') await delay(REFUSED_MS, signal).catch(() => {});
    }
  }
}
