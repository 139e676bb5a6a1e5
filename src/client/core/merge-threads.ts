import type { InfiniteData } from '@tanstack/query-core';
import { matches, type Thread, type ThreadFilters } from './thread.ts';
import { type CachedThreads, type Changes, changesOf, threadsKey } from './thread-cache.ts';

/** A page of threads as the server had them at the logical time `readAt`. */
export interface ThreadPage {
  readAt: number;
  threads: Thread[];
  nextPageToken?: string | undefined;
}

/**
 * Returns the threads to show: those of the pages that were read, with the changes since then and the user's pending
 * writes.
 */
export function mergeThreads(
  pages: ThreadPage[],
  changes: Changes,
  filters: ThreadFilters,
): Thread[] {
  const shown = new Map<string, Thread>();
  const show = (annotationId: string, stored: Thread | undefined) => {
    const thread = withWrites(annotationId, stored, changes);
    if (thread && matches(thread, filters)) shown.set(annotationId, thread);
  };
  for (const { threads, readAt } of pages) {
    for (const read of threads) show(read.annotationId, newestOf(read, readAt, changes));
  }
  // New threads belong at the beginning or, in ascending order, after the last page.
  const [first] = pages;
  const isAtEnd = pages.at(-1)?.nextPageToken === undefined;
  if (first && (filters.order !== 'asc' || isAtEnd)) {
    for (const [id, { at, thread }] of changes.received) {
      if (at > first.readAt && !shown.has(id)) show(id, thread);
    }
  }
  for (const { annotationId, isNew } of changes.writes) {
    if (isNew && !shown.has(annotationId)) show(annotationId, undefined);
  }
  return [...shown.values()].sort(filters.order === 'asc' ? byTime : (a, b) => byTime(b, a));
}

/** The newest state of a thread that was read; undefined if the thread has been deleted since. */
function newestOf(read: Thread, readAt: number, { received }: Changes): Thread | undefined {
  const change = received.get(read.annotationId);
  if (!change || change.at < readAt) return read;
  const { thread } = change;
  return thread && thread.lastUpdated < read.lastUpdated ? read : thread;
}

/** Applies the user's pending writes to a stored thread. @returns undefined if they delete it, or if there is no thread */
const withWrites = (
  annotationId: string,
  stored: Thread | undefined,
  { writes }: Changes,
): Thread | undefined =>
  writes.reduce(
    (thread, write) => (write.annotationId === annotationId ? write.apply(thread) : thread),
    stored,
  );

const byTime = (a: Thread, b: Thread): number =>
  a.lastUpdated - b.lastUpdated || a.annotationNumber - b.annotationNumber;

/** Returns every cached copy of a thread, each in a page that holds only this thread. */
export function readsOf({ cache, documentRef }: CachedThreads, annotationId: string): ThreadPage[] {
  const queries = cache.getQueriesData<InfiniteData<ThreadPage>>({
    queryKey: threadsKey(documentRef),
  });
  const pages = queries.flatMap(([, data]) => data?.pages ?? []);
  return pages.flatMap(({ threads, readAt }) =>
    threads.flatMap((each) =>
      each.annotationId === annotationId ? { readAt, threads: [each] } : [],
    ),
  );
}

/** The ids of a thread's comments in the cache, without pending ones. */
export function commentIdsOf(cached: CachedThreads, annotationId: string): ReadonlySet<number> {
  const received = changesOf(cached).received.get(annotationId)?.thread;
  const read = readsOf(cached, annotationId).flatMap(({ threads }) => threads);
  const comments = [received, ...read].flatMap((thread) => thread?.comments ?? []);
  return new Set(comments.map(({ commentId }) => commentId));
}
