import type { InfiniteData, QueryClient } from '@tanstack/query-core';
import type { Place } from './collaboration.ts';
import type { ThreadPage } from './merge-threads.ts';
import type { Thread } from './thread.ts';
import { changesOf, threadsKey } from './thread-cache.ts';

/** One thread as the server had it at `readAt`; null where there was none. */
export interface ThreadRead {
  readAt: number;
  thread: Thread | null;
}

/** A thread as it stands in what was read already, in lists or alone. */
export function readsOf(cache: QueryClient, place: Place, annotationId: string): ThreadRead[] {
  const queries = cache.getQueriesData<InfiniteData<ThreadPage> | ThreadRead>({
    queryKey: threadsKey(place),
  });
  return queries.flatMap(([, data]) => {
    if (!data) return [];
    if (!('pages' in data)) return data.thread?.annotationId === annotationId ? data : [];
    return data.pages.flatMap(({ threads, readAt }) =>
      threads.flatMap((thread) => (thread.annotationId === annotationId ? { readAt, thread } : [])),
    );
  });
}

/** The ids of all comments of a thread that came from the server. */
export function commentIdsOf(
  cache: QueryClient,
  place: Place,
  annotationId: string,
): ReadonlySet<number> {
  const received = changesOf(cache, place).received.get(annotationId)?.thread;
  const read = readsOf(cache, place, annotationId).map(({ thread }) => thread);
  const comments = [received, ...read].flatMap((thread) => thread?.comments ?? []);
  return new Set(comments.map(({ commentId }) => commentId));
}
