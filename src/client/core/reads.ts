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
 * The options of all reads. The cache repeats a failed read until the server is back, each time after `Network`
 * has waited for it. Data does not become stale by its age, since subscriptions report changes.
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

/** The options of a call that reads for the cache, which repeats a failed read itself. */
export const oneAttempt = (signal?: AbortSignal) => ({ signal, singleAttempt: true });

/** The age of data that is read again on focus, since no subscription reports changes of it. */
export const FOCUS_STALE_MS = 30_000;

/** The hashes of the keys whose `refresh` waits for running reads. */
const pendingRefreshes = new WeakMap<QueryClient, Set<string>>();

/**
 * Reads the shown data of a key again after a change. A read that is running may have missed the change, so this
 * waits for its end. Further calls until then have no effect.
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

/** Reads the next page, after a read that is running. */
export async function readMore(pages: {
  getCurrentQuery(): { promise: Promise<unknown> | undefined };
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<unknown>;
}): Promise<void> {
  await pages.getCurrentQuery().promise?.catch(() => {});
  await pages.fetchNextPage({ cancelRefetch: false });
}

/** Returns why the data cannot be updated: the failure of a read or, while it is repeated, of its last attempt. */
export const failureOf = (query: { error: unknown; failureReason: unknown }) =>
  (query.error ?? query.failureReason) as CollaborationError | null;
