import { CollaborationError } from './error.ts';
import { delay } from './retry.ts';

/** After this time, a refused subscription is tried again, since access may have been given. */
const REFUSED_MS = 30_000;

/**
 * Passes the items of a subscription to `take` until the signal fires. If the server refuses the
 * subscription, or no longer has the events after the last item (OUT_OF_RANGE), the items are not complete:
 * `forget` drops them, and the subscription begins anew.
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
