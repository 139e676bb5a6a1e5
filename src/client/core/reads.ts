import { hashKey, type QueryClient, type QueryKey } from '@tanstack/query-core';
import { CollaborationError } from '../error.ts';

/**
 * The options of all reads. The client repeats calls for some seconds by itself; then the cache goes
 * on until the server is back, and waits while the browser is offline. Subscriptions keep what was
 * read up to date.
 */
export const READS = {
  networkMode: 'offlineFirst',
  staleTime: Number.POSITIVE_INFINITY,
  retry: (_failures: number, error: Error) =>
    error instanceof CollaborationError && error.retryable,
} as const;

/** For what no subscription reports, such as what the user has read on another device. */
export const READS_ANEW_ON_FOCUS = { ...READS, staleTime: 30_000 } as const;

const waiting = new WeakMap<QueryClient, Set<string>>();

/**
 * Reads again what is shown, once reads that are under way have ended, since these may have missed
 * the change. Calls in the meantime are one.
 */
export async function refresh(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const names = waiting.get(cache) ?? new Set();
  waiting.set(cache, names);
  const name = hashKey(queryKey);
  if (names.has(name)) return;
  names.add(name);
  await cache.refetchQueries(
    { queryKey, predicate: ({ state }) => state.fetchStatus === 'fetching' },
    { cancelRefetch: false },
  );
  names.delete(name);
  await cache.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Why there is nothing newer to show: the failure of a read, or of the attempts at one that goes on. */
export const failureOf = ({
  error,
  failureReason,
}: {
  error: unknown;
  failureReason: unknown;
}): CollaborationError | null => (error ?? failureReason) as CollaborationError | null;
