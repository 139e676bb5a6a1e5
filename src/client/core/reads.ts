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
 * The options of all reads. The cache repeats them until the server is back, and makes no attempt while
 * sockets try to reach it. Subscriptions keep what was read up to date.
 */
export const readOptions = (network: Network): DefaultOptions['queries'] => ({
  networkMode: 'offlineFirst',
  staleTime: Number.POSITIVE_INFINITY,
  retry: (_failures, error) => error instanceof CollaborationError && error.retryable,
  retryDelay: (failures, error) =>
    retryDelayMs(failures, error instanceof CollaborationError ? error.retryAfterMs : 0),
  // The cache calls this for every attempt of a read.
  persister: async (read, context, { state }) => {
    if (state.fetchFailureCount > 0) await network.untilBack();
    return read(context);
  },
});

/** The options of a call that reads for the cache, which repeats a failed read itself. */
export const oneAttempt = (signal?: AbortSignal) => ({ signal, singleAttempt: true });

/** The age of data that is read again on focus, since no subscription reports changes of it. */
export const FOCUS_STALE_MS = 30_000;

/** The keys, as text, of the reads that wait for running reads to end. */
const waiting = new WeakMap<QueryClient, Set<string>>();

/**
 * Reads shown data again, once running reads have ended, since these may have missed the change.
 * Calls in the meantime have no further effect.
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

/** Reads the next page, after a read that is running. */
export async function readMore(pages: {
  getCurrentQuery(): { promise: Promise<unknown> | undefined };
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<unknown>;
}): Promise<void> {
  await pages.getCurrentQuery().promise?.catch(() => {});
  await pages.fetchNextPage({ cancelRefetch: false });
}

/** Why nothing newer can be shown: the failure of a read, or of its attempts so far. */
export const failureOf = (query: { error: unknown; failureReason: unknown }) =>
  (query.error ?? query.failureReason) as CollaborationError | null;
