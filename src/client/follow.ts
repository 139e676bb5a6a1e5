import { CollaborationError } from './error.ts';
import { delay } from './retry.ts';

/** A refused subscription or editor is tried again after this time, in case the user has been given access. */
export const REFUSED_RETRY_MS = 30_000;

/**
 * Passes the items of a subscription to `onItem` until the signal fires. The server may refuse the subscription,
 * or no longer store the events after the last item (OUT_OF_RANGE). Items are then missing: `onGap` drops what was
 * made of earlier items, and the subscription begins anew.
 */
export async function follow<Item>(
  changes: () => AsyncIterable<{ data: Item }>,
  { onItem, onGap, signal }: { onItem(item: Item): void; onGap(): void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { data } of changes()) onItem(data);
      return;
    } catch (error) {
      onGap();
      if (!(error instanceof CollaborationError)) throw error;
      if (error.status !== 'OUT_OF_RANGE') await delay(REFUSED_RETRY_MS, signal).catch(() => {});
    }
  }
}
