import {
  skipToken,
  useInfiniteQuery,
  useQuery,
  useSuspenseInfiniteQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, type Place, useCollaboration, usePlace } from './collaboration.tsx';
import { followComments } from './follow-comments.ts';
import { mergeThreads, type ThreadPage } from './merge-threads.ts';
import { READS } from './reads.ts';
import type { Thread, ThreadFilters } from './thread.ts';
import { type Changes, changesKey, NO_CHANGES, now, threadsKey } from './thread-cache.ts';
import { useRun } from './use-run.ts';

export interface ReadOptions {
  /** Suspends instead of `isLoading`, and throws what would be `error` before there is anything to show. */
  suspense?: boolean;
}

export interface ThreadsOptions extends ThreadFilters, ReadOptions {
  /** How many to read at a time, at most 1000; 50 by default. */
  pageSize?: number;
}

export interface ThreadsNow {
  threads: Thread[];
  isLoading: boolean;
  /** Why there is nothing newer to show. While the server is away, the hook goes on trying. */
  error: CollaborationError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  fetchMore(): void;
}

const NO_PAGES: ThreadPage[] = [];

/** The comment threads of the document, live. */
export function useThreads({
  suspense = false,
  pageSize = 50,
  ...filters
}: ThreadsOptions = {}): ThreadsNow {
  const collaboration = useCollaboration();
  const place = usePlace();
  const changes = useChanges(place);
  const usePages = suspense ? useSuspenseInfiniteQuery : useInfiniteQuery;
  const query = usePages(
    pagesOf(collaboration, place, { pageSize, ...filters }),
    collaboration.cache,
  );
  const pages = query.data?.pages ?? NO_PAGES;
  const filtersName = JSON.stringify(filters);
  const threads = useMemo(
    () => mergeThreads(pages, changes, JSON.parse(filtersName)),
    [pages, changes, filtersName],
  );
  return {
    threads,
    isLoading: query.isPending,
    error: (query.error ?? query.failureReason) as CollaborationError | null,
    hasMore: query.hasNextPage,
    isFetchingMore: query.isFetchingNextPage,
    fetchMore: () => void query.fetchNextPage({ cancelRefetch: false }),
  };
}

/** Follows the document, and returns what is newer than the reads. */
export function useChanges(place: Place): Changes {
  const { cache } = useCollaboration();
  useRun('comments', place, followComments);
  const query = useQuery(
    { queryKey: changesKey(place), queryFn: skipToken, initialData: NO_CHANGES },
    cache,
  );
  return query.data ?? NO_CHANGES;
}

const pagesOf = (
  { client }: Collaboration,
  place: Place,
  input: ThreadFilters & { pageSize: number },
) => ({
  ...READS,
  queryKey: [...threadsKey(place), input],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({
    pageParam: pageToken,
    signal,
  }: {
    pageParam: string | undefined;
    signal: AbortSignal;
  }): Promise<ThreadPage> => {
    const readAt = now();
    const { data, nextPageToken } = await client.commentAnnotations.get(
      { ...place, ...input, pageToken },
      { signal },
    );
    return { readAt, threads: data.filter((thread) => thread !== null), nextPageToken };
  },
  getNextPageParam: ({ nextPageToken }: ThreadPage) => nextPageToken,
});
