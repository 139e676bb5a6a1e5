import {
  type DefaultOptions,
  hashKey,
  type QueryClient,
  type QueryKey,
} from '@tanstack/query-core';
import { CollaborationError } from '../error.ts';
import type { Network } from '../network.ts';
import { retryDelayMs } from '../retry.ts';

/**
 * The options of all reads. The cache repeats a failed read until it succeeds, and waits until `Network` can reach the
 * server before each attempt. Data does not become stale with age, since subscriptions report changes.
 */
export const readOptions = (network: Network): DefaultOptions['queries'] => ({
  networkMode: 'offlineFirst',
  staleTime: Number.POSITIVE_INFINITY,
  retry: (_failures, error) => error instanceof CollaborationError && error.retryable,
  retryDelay: (failures, error) =>
    retryDelayMs(failures, error instanceof CollaborationError ? error.retryAfterMs : 0),
  // The cache calls this for every attempt of a read.
  persister: async (read, context, { state }) => {
    if (state.fetchFailureCount > 0) await network.untilReachable();
    return read(context);
  },
});

/** The options of a call that reads for the cache. It makes one attempt, since the cache itself repeats a failed read. */
export const oneAttempt = (signal?: AbortSignal) => ({ signal, singleAttempt: true });

/** If no subscription reports changes to data, it is read again on focus once it is older than this. */
export const FOCUS_STALE_MS = 30_000;

/** For each cache, the hashes of the keys for which `refresh` is waiting until running reads have ended. */
const pendingRefreshes = new WeakMap<QueryClient, Set<string>>();

/**
 * Reads the shown data of a key again after a change. A read that is running may have missed the change, so this
 * waits until that read has ended. Until then, further calls have no effect.
 */
export async function refresh(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const hashes = pendingRefreshes.get(cache) ?? new Set();
  pendingRefreshes.set(cache, hashes);
  const hash = hashKey(queryKey);
  if (hashes.has(hash)) return;
  hashes.add(hash);
  await cache.refetchQueries(
    { queryKey, predicate: ({ state }) => state.fetchStatus === 'fetching' },
    { cancelRefetch: false },
  );
  hashes.delete(hash);
  await cache.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** Reads the next page, once any running read has ended. */
export async function readMore(pages: {
  getCurrentQuery(): { promise: Promise<unknown> | undefined };
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<unknown>;
}): Promise<void> {
  await pages.getCurrentQuery().promise?.catch(() => {});
  await pages.fetchNextPage({ cancelRefetch: false });
}

/** Returns why data cannot be updated: the failure of its read or, while that is retried, of the last attempt. */
export const failureOf = (query: { error: unknown; failureReason: unknown }) =>
  (query.error ?? query.failureReason) as CollaborationError | null;
